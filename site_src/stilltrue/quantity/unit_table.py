"""The units that everyone knows: one explicit table of symbols, words and counted nouns."""

from __future__ import annotations

from fractions import Fraction

from stilltrue.quantity.values import INFORMATION, TIME, Dimension, Unit

CURRENCIES = {
    "USD": ("$", "US$", "dollar", "dollars"),
    "EUR": ("€", "euro", "euros"),
    "GBP": ("£",),
    "JPY": ("¥",),
    "CHF": (),
    "CNY": (),
    "INR": ("₹",),
}
"""Each currency, a dimension of its own, with its other spellings."""

MEASURES = frozenset(
    {
        "time",
        "information",
        "energy",
        "length",
        "mass",
        "voltage",
        "current",
        "temperature",
        "level",
        *CURRENCIES,
    }
)
"""The dimensions that are compared. Every other one counts things (`token`, `flop`), and is not."""

SUFFIXES = {
    "k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12, "bn": 10**9,
    "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12,
}  # fmt: skip
"""What a count may be multiplied by, after its number."""

_ENERGY: Dimension = (("energy", 1),)
_POWER: Dimension = (("energy", 1), ("time", -1))
_BYTE_RATE: Dimension = (("information", 1), ("time", -1))
_PER_TIME: Dimension = (("time", -1),)

_PREFIXES = {
    "p": Fraction(1, 10**12), "n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "µ": Fraction(1, 10**6),
    "μ": Fraction(1, 10**6), "m": Fraction(1, 1000), "c": Fraction(1, 100), "": Fraction(1),
    "k": Fraction(10**3), "M": Fraction(10**6), "G": Fraction(10**9), "T": Fraction(10**12),
    "P": Fraction(10**15), "E": Fraction(10**18), "Z": Fraction(10**21),
}  # fmt: skip
_PREFIX_WORDS = {
    "nano": "n", "micro": "u", "milli": "m", "kilo": "k", "mega": "M", "giga": "G", "tera": "T", "peta": "P",
}  # fmt: skip
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_BINARY_WORDS = {"kibi": 1, "mebi": 2, "gibi": 3, "tebi": 4, "pebi": 5}

# symbol: (scale in base units, dimension, the SI prefixes that it may carry)
_SI: dict[str, tuple[Fraction, Dimension, str]] = {
    "s": (Fraction(1), TIME, "pnuµμm"),
    "Hz": (Fraction(1), _PER_TIME, "kMGT"),
    "W": (Fraction(1), _POWER, "uµμmkMG"),
    "J": (Fraction(1), _ENERGY, "uµμmkMG"),
    "Wh": (Fraction(3600), _ENERGY, "mkMGT"),
    "bit": (Fraction(1, 8), INFORMATION, "kMGTP"),
    "b": (Fraction(1, 8), INFORMATION, "MGTP"),
    "B": (Fraction(1), INFORMATION, "kMGTPE"),
    "bps": (Fraction(1, 8), _BYTE_RATE, "kMGT"),
    "Bps": (Fraction(1), _BYTE_RATE, "kMGT"),
    "FLOP": (Fraction(1), (("flop", 1),), "kMGTPEZ"),
    "FLOPs": (Fraction(1), (("flop", 1),), "kMGTPEZ"),
    "flop": (Fraction(1), (("flop", 1),), "kMGTPEZ"),
    "FLOPS": (Fraction(1), (("flop", 1), ("time", -1)), "kMGTPEZ"),
    "OPS": (Fraction(1), (("operation", 1), ("time", -1)), "GTP"),
    "MAC": (Fraction(1), (("mac", 1),), "MGTP"),
    "MACs": (Fraction(1), (("mac", 1),), "MGTP"),
    "tok": (Fraction(1), (("token", 1),), "kMG"),
    "m": (Fraction(1), (("length", 1),), "nuµμmck"),
    "g": (Fraction(1), (("mass", 1),), "uµμmk"),
    "V": (Fraction(1), (("voltage", 1),), "mk"),
    "A": (Fraction(1), (("current", 1),), "mk"),
}
_NEVER_ALONE = frozenset({"B", "b", "OPS"})
"""`B` after a number is a billion, and `OPS` could be a count: these need their prefix."""

_SYMBOLS: dict[str, tuple[Fraction, Dimension]] = {
    "h": (Fraction(3600), TIME),
    "d": (Fraction(86400), TIME),
    "%": (Fraction(1, 100), ()),
    "pp": (Fraction(1, 100), ()),
    "‰": (Fraction(1, 1000), ()),
    "ppm": (Fraction(1, 10**6), ()),
    "x": (Fraction(1), ()),
    "X": (Fraction(1), ()),
    "×": (Fraction(1), ()),
    "°C": (Fraction(1), (("temperature", 1),)),
    "dB": (Fraction(1), (("level", 1),)),
    "1/s": (Fraction(1), _PER_TIME),
}

_WORDS: dict[str, tuple[Fraction, Dimension]] = {
    "sec": (Fraction(1), TIME),
    "secs": (Fraction(1), TIME),
    "msec": (Fraction(1, 1000), TIME),
    "usec": (Fraction(1, 10**6), TIME),
    "nsec": (Fraction(1, 10**9), TIME),
    "min": (Fraction(60), TIME),
    "mins": (Fraction(60), TIME),
    "minute": (Fraction(60), TIME),
    "minutes": (Fraction(60), TIME),
    "hr": (Fraction(3600), TIME),
    "hrs": (Fraction(3600), TIME),
    "hour": (Fraction(3600), TIME),
    "hours": (Fraction(3600), TIME),
    "day": (Fraction(86400), TIME),
    "days": (Fraction(86400), TIME),
    "week": (Fraction(604800), TIME),
    "weeks": (Fraction(604800), TIME),
    "percent": (Fraction(1, 100), ()),
    "per cent": (Fraction(1, 100), ()),
    "percentage point": (Fraction(1, 100), ()),
    "percentage points": (Fraction(1, 100), ()),
    "times": (Fraction(1), ()),
    "tonne": (Fraction(10**6), (("mass", 1),)),
    "tonnes": (Fraction(10**6), (("mass", 1),)),
}

_SI_WORDS: dict[str, tuple[str, str]] = {  # the word, its plural and the symbol that says what it is
    "second": ("seconds", "s"),
    "byte": ("bytes", "B"),
    "bit": ("bits", "bit"),
    "hertz": ("hertz", "Hz"),
    "watt": ("watts", "W"),
    "joule": ("joules", "J"),
    "metre": ("metres", "m"),
    "meter": ("meters", "m"),
    "gram": ("grams", "g"),
}

_FORGIVEN = {  # written so often that refusing them would teach nothing, and they can mean one thing only
    "KB": "kB", "kb": "kB", "mb": "MB", "gb": "GB", "tb": "TB",
    "kib": "KiB", "mib": "MiB", "gib": "GiB", "tib": "TiB",
    "KIB": "KiB", "MIB": "MiB", "GIB": "GiB", "TIB": "TiB", "kiB": "KiB",
    "hz": "Hz", "khz": "kHz", "mhz": "MHz", "ghz": "GHz", "KHz": "kHz", "GHZ": "GHz", "MHZ": "MHz",
    "KWh": "kWh", "kwh": "kWh", "KW": "kW", "℃": "°C",
}  # fmt: skip

_COUNTED = """
token/tokens/tok/toks request/requests/req/reqs image/images/img/imgs sample/samples
sequence/sequences/seq/seqs
step/steps iteration/iterations/iter/iters/it/its epoch/epochs batch/batches example/examples row/rows
operation/operations/op/ops parameter/parameters/param/params query/queries call/calls frame/frames word/words
item/items record/records document/documents doc/docs file/files event/events message/messages msg/msgs
packet/packets gpu/gpus cpu/cpus node/nodes core/cores device/devices card/cards rank/ranks layer/layers
head/heads expert/experts page/pages character/characters char/chars pixel/pixels px user/users run/runs
trial/trials job/jobs worker/workers thread/threads process/processes update/updates episode/episodes
patch/patches video/videos vector/vectors element/elements kernel/kernels weight/weights neuron/neurons
block/blocks line/lines sentence/sentences transaction/transactions connection/connections
"""

_EVERYDAY = """
way ways ray rays hit hits bin bins set sets win wins pin pins kit kits bot bots fit fits bid bids pit
pits bat bats bet bets map maps app apps spec specs tour tours four mix mics site sites bite bites wait waits
seed seeds bay bays fin fins flow flows flip flips flap flaps flog flogs slop slops esc rhs bgp usb d
main mine minus ours weak seek bug bugs"""
EVERYDAY = frozenset(_EVERYDAY.split())
"""Nouns that are one slip away from a unit and yet mean themselves."""


def known_units() -> tuple[dict[str, Unit], dict[str, Unit]]:
    """Two tables, each from a spelling to its unit: symbols as written, and words in lower case."""
    symbols = {name: Unit(name, scale, dimension) for name, (scale, dimension) in _SYMBOLS.items()}
    symbols |= _prefixed_symbols()
    symbols |= {name: _named(symbols[meant], name) for name, meant in _FORGIVEN.items()}
    words = {name: Unit(name, scale, dimension) for name, (scale, dimension) in _WORDS.items()}
    words |= _prefixed_words()
    words |= counted_words()
    for code, spellings in CURRENCIES.items():
        for name in (code, *spellings):
            table, key = (words, name.lower()) if name.isalpha() else (symbols, name)
            table[key] = Unit(name, Fraction(1), ((code, 1),))
    return symbols, words


def counted_words() -> dict[str, Unit]:
    """The nouns of things counted that have a dimension, so that `tok/s` can be told from `1/s` in print."""
    words = {}
    for entry in _COUNTED.split():
        spellings = entry.split("/")
        for name in spellings:
            words[name] = Unit(name, Fraction(1), ((spellings[0], 1),), noun=True)
    return words


def _named(unit: Unit, symbol: str) -> Unit:
    return Unit(symbol, unit.scale, unit.dimension, unit.noun)


def _prefixed_symbols() -> dict[str, Unit]:
    symbols = {}
    for symbol, (scale, dimension, prefixes) in _SI.items():
        counted = all(name not in MEASURES for name, _ in dimension)
        for prefix in ("", *prefixes) if symbol not in _NEVER_ALONE else prefixes:
            name = prefix + symbol
            symbols[name] = Unit(name, scale * _PREFIXES[prefix], dimension, noun=counted and not prefix)
    for prefix, power in _BINARY.items():
        symbols[f"{prefix}B"] = Unit(f"{prefix}B", Fraction(1024**power), INFORMATION)
        symbols[f"{prefix}bit"] = Unit(f"{prefix}bit", Fraction(1024**power, 8), INFORMATION)
    return symbols


def _prefixed_words() -> dict[str, Unit]:
    words = {}
    for word, (plural, symbol) in _SI_WORDS.items():
        scale, dimension, _ = _SI[symbol]
        for spelling in (word, plural):
            words[spelling] = Unit(spelling, scale, dimension)
            for prefix, letter in _PREFIX_WORDS.items():
                words[prefix + spelling] = Unit(prefix + spelling, scale * _PREFIXES[letter], dimension)
    for prefix, power in _BINARY_WORDS.items():
        for spelling in ("byte", "bytes"):
            words[prefix + spelling] = Unit(prefix + spelling, Fraction(1024**power), INFORMATION)
    return words
