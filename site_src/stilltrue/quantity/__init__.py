"""A number with its unit and its precision."""

from stilltrue.quantity.algebra import divide, multiply, power, same_dimension
from stilltrue.quantity.found import found_text
from stilltrue.quantity.prose import first_quantity
from stilltrue.quantity.readings import parse_value, with_unit
from stilltrue.quantity.show import decimal_text, show_value
from stilltrue.quantity.spans import interval
from stilltrue.quantity.stated import parse_stated, parse_tolerance
from stilltrue.quantity.style import format_like
from stilltrue.quantity.units import Units
from stilltrue.quantity.values import (
    BARE,
    INFORMATION,
    TIME,
    Dimension,
    Flag,
    Form,
    Items,
    NonFinite,
    Numeral,
    Quantity,
    Sign,
    Stated,
    Text,
    Tolerance,
    Unit,
    Value,
)

__all__ = [
    "BARE",
    "INFORMATION",
    "TIME",
    "Dimension",
    "Flag",
    "Form",
    "Items",
    "NonFinite",
    "Numeral",
    "Quantity",
    "Sign",
    "Stated",
    "Text",
    "Tolerance",
    "Unit",
    "Units",
    "Value",
    "decimal_text",
    "divide",
    "first_quantity",
    "format_like",
    "found_text",
    "interval",
    "multiply",
    "parse_stated",
    "parse_tolerance",
    "parse_value",
    "power",
    "same_dimension",
    "show_value",
    "with_unit",
]
