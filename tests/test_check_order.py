from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stilltrue.check.order import order

_NAMES = st.sampled_from("abcdefgh")
_GRAPHS = st.dictionaries(_NAMES, st.lists(_NAMES, max_size=3))


def test_operands_come_first() -> None:
    ordered, cycles = order({"c": ["b"], "b": ["a", "x"], "a": []})
    assert ordered == ["a", "b", "c"]
    assert cycles == []


def test_a_chain_of_ten_thousand_needs_no_stack() -> None:
    chain = {str(n): [str(n - 1)] for n in range(10_000, 0, -1)}
    ordered, cycles = order(chain)
    assert ordered == [str(n) for n in range(1, 10_001)]
    assert cycles == []


def test_each_cycle_is_found_once_and_what_is_behind_it_comes_after() -> None:
    ordered, cycles = order({"a": ["b"], "b": ["a"], "c": ["c"], "d": ["a", "c"], "e": []})
    assert sorted(map(sorted, cycles)) == [["a", "b"], ["c"]]
    assert ordered.index("d") > max(ordered.index("a"), ordered.index("c"))


@given(_GRAPHS)
def test_every_id_comes_once_and_cycles_are_cycles(graph: dict[str, list[str]]) -> None:
    ordered, cycles = order(graph)
    assert sorted(ordered) == sorted(graph)
    for cycle in cycles:
        steps = zip(cycle, (*cycle[1:], cycle[0]), strict=True)
        assert all(after in graph[before] for before, after in steps)
    inside = {name for cycle in cycles for name in cycle}
    for name in ordered:
        if name not in inside:
            known = [operand for operand in graph[name] if operand in graph]
            assert all(ordered.index(operand) < ordered.index(name) for operand in known)
