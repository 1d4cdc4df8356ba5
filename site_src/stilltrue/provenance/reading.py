"""A record's bytes to a record: validated here, at the border, so that nothing behind it needs to ask."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NoReturn

from stilltrue.model import Accepted, Code, Digested, Provenance
from stilltrue.provenance.fields import LIMIT, Fields, as_digest, as_path, as_text, wrong
from stilltrue.provenance.statement import CODE_DIGEST, PREDICATE_TYPE, STATEMENT_TYPE


def parse(data: bytes) -> Provenance:
    """The record that a file holds.

    Args:
        data: The file's bytes.

    Raises:
        InputError: `bad-provenance`: it is no JSON, no in-toto Statement, no measurement, or wrong in it.
    """
    statement = Fields(_json(data), "")
    _is(statement, "_type", STATEMENT_TYPE, "an in-toto Statement")
    _is(statement, "predicateType", PREDICATE_TYPE, "a measurement")
    subjects = statement.items("subject", _digested)
    if not subjects:
        raise wrong("`subject` names no evidence")
    _once("subject", (each.path for each in subjects))
    provenance = _measured(subjects, statement.inner("predicate"))
    if bool(provenance.source) == bool(provenance.code):
        both = "both `code` and `source`" if provenance.code else "neither `code` nor `source`"
        raise wrong(f"`predicate` has {both}", "evidence is a probe's, or from elsewhere: record or adopt it")
    return provenance


def _measured(subjects: tuple[Digested, ...], predicate: Fields) -> Provenance:
    provenance = Provenance(
        subjects=subjects,
        on=predicate.day("on"),
        source=predicate.text("source"),
        code=predicate.items("code", _code),
        argv=predicate.items("argv", as_text),
        commit=predicate.commit("commit"),
        changed=predicate.items("changed", as_path),
        started=predicate.time("started"),
        ended=predicate.time("ended"),
        machine=predicate.pairs("machine"),
        accelerator=predicate.text("accelerator"),
        interpreter=predicate.text("interpreter"),
        packages=predicate.pairs("packages"),
        inputs=predicate.items("inputs", _digested),
        environment=predicate.pairs("environment"),
        accepted=predicate.items("accepted", _accepted),
    )
    _once("predicate.code", (each.path for each in provenance.code))
    _once("predicate.inputs", (each.path for each in provenance.inputs))
    return provenance


# The parts ---------------------------------------------------------------------------------------------


def _digested(value: object, name: str) -> Digested:
    file = Fields(value, name)
    return Digested(file.path("name"), file.inner("digest").sha256("sha256"))


def _code(value: object, name: str) -> Code:
    file = Fields(value, name)
    digests = file.inner("digest")
    digest = as_digest(digests.text(CODE_DIGEST, required=True), digests.at(CODE_DIGEST))
    return Code(file.path("name"), digests.sha256("sha256"), digest)


def _accepted(value: object, name: str) -> Accepted:
    accepted = Fields(value, name)
    return Accepted(
        claim=accepted.text("claim", required=True),
        because=accepted.text("because", required=True),
        on=accepted.day("on"),
        path=accepted.path("path"),
        before=accepted.text("before", required=True, empty=True),
        after=accepted.sha256("after", gone=True),
    )


def _is(statement: Fields, key: str, wanted: str, what: str) -> None:
    value = statement.text(key, required=True)
    if value != wanted:
        raise wrong(f"`{key}` is not `{wanted}`, so this is not {what} that can be read here")


def _once(name: str, paths: Iterable[str]) -> None:
    seen: set[str] = set()
    for path in paths:
        if path in seen:
            raise wrong(f"`{name}` names `{path}` twice")
        seen.add(path)


# JSON --------------------------------------------------------------------------------------------------


def _json(data: bytes) -> object:
    """What a JSON text holds, more strictly than the standard library reads it."""
    if len(data) > LIMIT:
        raise wrong(f"the record is larger than {LIMIT:,} bytes")
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_object, parse_constant=_constant)
    except UnicodeDecodeError as error:
        raise wrong("the record is not UTF-8", line=data.count(b"\n", 0, error.start) + 1) from None
    except json.JSONDecodeError as error:
        raise wrong(f"the record is no JSON: {error.msg}", line=error.lineno) from None
    except RecursionError:
        raise wrong("the record is nested too deep") from None
    except ValueError:  # an integer of thousands of digits
        raise wrong("the record holds a number that is too long") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise wrong(f"the key `{key}` stands twice in one object")
        made[key] = value
    return made


def _constant(name: str) -> NoReturn:
    raise wrong(f"`{name}` is no JSON number")
