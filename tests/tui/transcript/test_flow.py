"""The flow: where every row belongs, whatever changes, compared with counting it out."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.tui.transcript.flow import Flow, Spot

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("block"), st.just(0), st.just(0), st.just(0)),
        st.tuples(st.just("part"), st.integers(0, 9), st.integers(0, 9), st.integers(0, 5)),
        st.tuples(st.just("cut"), st.integers(0, 9), st.integers(0, 3), st.just(0)),
        st.tuples(st.just("measure"), st.integers(0, 9), st.integers(0, 9), st.integers(0, 3)),
    ),
    max_size=60,
)


def counted_out(heights: list[list[int]]) -> list[Spot]:
    return [
        Spot(block, part, row)
        for block, parts in enumerate(heights)
        for part, height in enumerate(parts)
        for row in range(height)
    ]


@settings(max_examples=300, derandomize=True, deadline=None)
@given(STEPS)
def test_every_row_is_found_where_counting_finds_it(steps: list[tuple[str, int, int, int]]) -> None:
    flow = Flow()
    heights: list[list[int]] = []
    for kind, block, part, height in steps:
        if kind == "block":
            flow.add_block()
            heights.append([])
        elif not heights:
            continue
        elif kind == "part":
            parts = heights[block % len(heights)]
            index = part % (len(parts) + 1)
            moved = flow.set_part(block % len(heights), index, height)
            assert moved == (index == len(parts) or parts[index] != height)
            parts[index : index + 1] = [height]
        elif kind == "cut":
            parts = heights[block % len(heights)]
            assert flow.cut_parts(block % len(heights), part) == (len(parts) > part)
            del parts[part:]
        else:
            heights = [[(block + i + part * j) % (height + 2) for j in range(len(p))] for i, p in enumerate(heights)]
            flow.measure_again(lambda i, measured=heights: list(measured[i]))
        rows = counted_out(heights)
        assert flow.height == len(rows)
        assert [flow.spot(row) for row in range(-1, len(rows) + 1)] == [None, *rows, None]
        for index, parts in enumerate(heights):
            assert flow.block_height(index) == sum(parts)
            assert [flow.part_height(index, each) for each in range(len(parts))] == parts
            for each in range(len(parts)):
                assert flow.top(index, each) == sum(map(sum, heights[:index])) + sum(parts[:each])
