"""Pictures of tapes: well-formed, complete, and without boxes or lines over one another."""

import itertools
import re
import xml.etree.ElementTree as ET

import functape

# isort: split
import mlx.core as mx
import pytest

from functape import viz
from functape.errors import ArgumentError, GraphError
from functape.op import table
from functape.tape import mode
from functape.viz.gradients import told
from functape.viz.graph import read
from functape.viz.layout import place
from functape.viz.svg import Card

sin, exp, tanh, split = (table[name] for name in ("sin", "exp", "tanh", "split"))
concatenate, mean, total = (table[name] for name in ("concatenate", "mean", "sum"))


def trace(f, *args):
    return viz.graph.trace(f, args, {})


def product(x, y):
    return sin(x * y) + exp(x)


def network(params, x):
    for w, b in params:
        x = tanh(x @ w + b)
    return mean(x, axis=(0, 1), keepdims=False)


def recurrent(w, u, h):
    steps = []
    for _ in range(5):
        h = tanh(h @ w + u)
        steps.append(h)
    return total(concatenate(*steps, axis=1), axis=(0, 1), keepdims=False)


def pieces(x):
    a, b, c = split(x, at=(1, 2), axis=0)
    return {"product": a * b, "last": sin(c)}


def zeros(*shape):
    return mx.zeros(shape)


CASES = {
    "product": (product, 2.0, 3.0),
    "network": (network, [(zeros(8, 4), zeros(4)), (zeros(4, 2), zeros(2))], zeros(5, 8)),
    "recurrent": (recurrent, zeros(4, 4), zeros(4), zeros(3, 4)),
    "pieces": (pieces, zeros(3, 2)),
    "gradient": (functape.grad(lambda x: total(sin(x) * x, axis=(0,), keepdims=False)), zeros(3)),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_svg_is_well_formed_and_names_every_op(case):
    picture = viz.draw(*case)
    root = ET.fromstring(picture)
    words = {t.text for t in root.iter("{http://www.w3.org/2000/svg}text")}
    y, names = trace(*case)
    boxes = read(y, names).boxes
    assert {box.title for box in boxes} <= words
    lines = sum(len(set(box.above)) for box in boxes)
    assert len([p for p in root.iter("{http://www.w3.org/2000/svg}path")
                if p.get("class") == "line"]) == lines


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_nothing_overlaps_and_lines_run_down(case):
    y, names = trace(*case)
    boxes = read(y, names).boxes
    cards = [Card(box) for box in boxes]
    lines = [(above, i) for i, box in enumerate(boxes) for above in box.above]
    layout = place([(c.width, c.height) for c in cards], lines)
    frames = [(x - c.width / 2, y - c.height / 2, x + c.width / 2, y + c.height / 2)
              for c, (x, y) in zip(cards, layout.centres, strict=True)]
    for (l1, t1, r1, b1), (l2, t2, r2, b2) in itertools.combinations(frames, 2):
        assert r1 <= l2 or r2 <= l1 or b1 <= t2 or b2 <= t1
    assert min(f[0] for f in frames) >= -1e-6 and max(f[2] for f in frames) <= layout.width + 1e-6
    for (upper, lower), way in layout.routes.items():
        heights = [frames[upper][3], *(y for _, y in way), frames[lower][1]]
        assert heights == sorted(heights)
        for x, y in way:
            assert not any(left < x < right and top < y < bottom
                           for left, top, right, bottom in frames)


def test_a_card_lists_what_its_node_saves():
    graph = read(*trace(lambda x: sin(x * 2.0), zeros(3, 4)))
    multiply, sine = (box for box in graph.boxes if box.kind == "op")
    assert multiply.title == "multiply" and multiply.type == "[3,4]"
    assert multiply.saved == [("y", "2.0 (float)", 0, True)]  # nothing of x: only y's rule needs it
    assert sine.saved == [("x", "float32[3,4]", 48, False)]
    assert graph.saved_bytes == 48


def test_an_array_that_two_nodes_save_counts_once():
    graph = read(*trace(lambda x: exp(x) * sin(x), zeros(10)))  # exp's output in two cards
    assert sum(size for box in graph.boxes for _, _, size, _ in box.saved) == 160
    assert graph.saved_bytes == 120


def test_leaves_have_names_and_repeat_by_name():
    y, names = trace(*CASES["recurrent"])
    boxes = read(y, names).boxes
    assert [b.title for b in boxes if b.kind == "leaf"].count("w") == 1
    assert [b.title for b in boxes if b.kind == "again"].count("w") == 4
    boxes = read(y, {"my weight": names["w"]}).boxes
    assert {b.title for b in boxes if b.kind == "leaf"} == {"my weight", "leaf"}
    with pytest.raises(ArgumentError, match="names maps names to tensors"):
        read(y, [names["w"]])


def test_the_limit_keeps_the_end_of_a_long_tape():
    def chain(x):
        for _ in range(3000):
            x = sin(x)
        return x

    boxes = read(*trace(chain, 1.0), limit=10, fold=False).boxes
    assert [b.kind for b in boxes] == ["more", *["op"] * 10, "result"]
    assert boxes[0].title == "\N{HORIZONTAL ELLIPSIS} 2,990 earlier nodes"


def test_dot_has_a_line_for_each_use():
    text = viz.dot(product, 2.0, 3.0)
    assert text.startswith("digraph tape {") and text.endswith("}\n")
    assert len(re.findall(r"n\d+ -> n\d+;", text)) == 7
    assert r'label="multiply []\nx: float32[]\ny: float32[]"' in text


def test_a_notebook_shows_the_picture(tmp_path):
    picture = viz.draw(product, 2.0, 3.0)
    picture.save(tmp_path / "tape.svg")
    assert (tmp_path / "tape.svg").read_text(encoding="utf-8") == picture._repr_svg_()


def test_keyword_arguments_are_constants():
    traced = viz.graph.trace(lambda w, x: sin(w @ x), (zeros(2, 3),), {"x": zeros(3, 1)})
    boxes = read(*traced).boxes
    assert [b.title for b in boxes if b.kind == "leaf"] == ["w"]
    (matmul,) = (b for b in boxes if b.title == "matmul")
    assert matmul.saved == [("y", "float32[3,1]", 12, True)]


def test_markup_in_names_is_escaped():
    y, names = trace(product, 2.0, 3.0)
    assert "<&>" in "".join(ET.fromstring(viz.draw(y, names={"<&>": names["x"]})).itertext())


def test_what_is_not_on_a_tape_is_refused():
    with pytest.raises(GraphError, match=r"not on a tape.*draw\(f, \*args\)"):
        viz.draw(sin(1.0))


# --- hooks, freed nodes, gradients ----------------------------------------------------------------


def eager():
    x = functape.tensor([1.0, 2.0], requires_grad=True)
    h = x * x
    return x, h, h.sum()


def test_hooks_and_kept_gradients_show():
    x, h, y = eager()
    x.register_hook(lambda g: g)
    h.register_hook(lambda g: g)
    h.register_hook(lambda g: g)
    h.retain_grad()
    boxes = {b.title: b for b in read(y, {"x": x}).boxes}
    assert boxes["multiply"].marks == ["2 hooks", "keeps its gradient"] and not boxes["sum"].marks
    assert boxes["x"].note == ".grad, 1 hook"
    assert "keeps its gradient" in viz.draw(y) and "2 hooks" in viz.dot(y)


def test_freed_nodes_show():
    _, _, y = eager()
    y.backward()
    boxes = {b.title: b for b in read(y).boxes}
    assert boxes["multiply"].freed and not boxes["sum"].freed
    assert 'class="freed"' in viz.draw(y)


class Cube(functape.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x, None, x * x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        x, _, square = ctx.saved_tensors
        return g * 3.0 * square


def cube_vjp():
    f = functape.custom_vjp(lambda x: x * x * x)
    f.defvjp(lambda x: (x * x * x, {"x": x}), lambda kept, g: (3.0 * kept["x"] * kept["x"] * g,))
    f.__name__ = "cube"
    return f


def cube_jvp():
    f = functape.custom_jvp(lambda x: x * x * x)
    f.defjvp(lambda primals, tangents: (primals[0] ** 3, 3.0 * primals[0] ** 2 * tangents[0]))
    return f


@pytest.mark.parametrize(("f", "names"), [
    (Cube.apply, ["saved_tensors[0]", "saved_tensors[2]"]),
    (cube_vjp(), ["residuals['x']"]),
    (cube_jvp(), ["primals[0]"]),
    (lambda x: functape.lax.custom_root(lambda y: y - x, x, lambda f, y: y - f(y),
                                    lambda f, b: b / f(b * 0.0 + 1.0)), ["x[0]"]),
], ids=["Function", "custom_vjp", "custom_jvp", "custom_root"])
def test_what_rules_of_the_users_own_save_shows(f, names):
    x = functape.tensor([1.0, 2.0], requires_grad=True)
    y = f(x)
    *_, box, _ = read(y, {"x": x}).boxes
    assert box.saved == [(name, "float32[2]", 8, False) for name in names]
    assert read(y).saved_bytes == functape.debug.inspect(y)["saved bytes"] == 8 * len(names)
    y.sum().backward()
    assert read(y).boxes[1].freed


def test_what_a_function_of_the_users_own_is_called():
    boxes = read(*trace(lambda x: Cube.apply(x.sum() * functape.ones((2, 3))).sum(), 2.0)).boxes
    shown = {b.title: b.type for b in boxes if b.kind == "op"}
    assert shown["Cube"] == "[2,3]" and shown["multiply"] == ""  # not known, so not told


def test_what_hooks_and_checkpoints_keep_shows():
    x = functape.tensor([1.0, 2.0], requires_grad=True)
    with functape.autograd.graph.saved_tensors_hooks(lambda t: t.detach().numpy(), functape.tensor):
        packed = sin(x)
    assert read(packed).boxes[1].saved == [("x", "float32[2], packed", 8, False)]
    policies = functape.checkpoint_policies
    rows = [read(functape.checkpoint(sin, policy=policy)(x)).boxes[1].saved
            for policy in (policies.nothing_saveable, policies.everything_saveable)]
    assert rows == [[("x", "computed again", 0, False)], [("x", "float32[2]", 8, False)]]


def test_results_are_named_by_their_places():
    titles = [b.title for b in read(trace(pieces, zeros(3, 2))[0]).boxes if b.kind == "result"]
    assert titles == ["result['last']", "result['product']"]


def words(box):
    return [told(flow) for flow in box.flows]


def test_gradients_of_a_pass_are_written_at_the_lines():
    x, _, y = eager()
    with viz.watch_gradients() as seen:
        (y * 3.0).backward()
    boxes = {b.title: b for b in read(y, {"x": x}, gradients=seen).boxes}
    assert words(boxes["sum"]) == ["|g| 4.24"]  # 3 (1, 1)
    assert words(boxes["multiply"]) == ["|g| 6.71", "|g| 6.71"]  # 3 (1, 2), by each factor
    assert boxes["x"].note == ".grad |g| 13.4"  # 6 (1, 2)
    assert mode.check is None


def test_gradients_on_request_write_no_grad():
    x, _, y = eager()
    boxes = {b.title: b for b in read(y, {"x": x}, gradients=True).boxes}
    assert words(boxes["multiply"]) == ["|g| 2.24", "|g| 2.24"] and x.grad is None
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0]
    with pytest.raises(GraphError, match="retain_graph=True"):
        viz.draw(y, gradients=True)
    product = read(*trace(lambda a: a * 5.0, 2.0), gradients=True).boxes[1]
    assert words(product) == ["5"]  # of one number: the number


# --- groups and folding ---------------------------------------------------------------------------


def layers(count, scoped=False):
    def f(ws, x):
        for i, w in enumerate(ws):
            if scoped:
                with viz.name_scope(f"layer {i}"):
                    x = tanh(x @ w * 2.0)
            else:
                x = tanh(x @ w * 2.0)
        return mean(x, axis=(0, 1), keepdims=False)

    return trace(f, [zeros(4, 4) for _ in range(count)], zeros(3, 4))


def test_a_model_of_many_layers_is_folded():
    graph = read(*layers(20))
    (fold,) = (b for b in graph.boxes if b.kind == "fold")
    assert fold.title == "18 more like the 3 nodes above"
    assert graph.count("op") == 7 and graph.nodes == 61 and graph.leaves == 21
    assert fold.saved[0][0] == "54 nodes, 18 leaves"
    whole = read(*layers(20), fold=False)
    assert whole.count("op") == 61 and whole.saved_bytes == graph.saved_bytes
    assert {b.title for b in graph.boxes if b.kind == "leaf"} >= {"ws[0]", "ws[19]"}
    assert "ws[7]" not in {b.title for b in graph.boxes}
    assert read(*layers(5)).count("fold") == 0  # few nodes are drawn whole


def test_scopes_fold_to_one_box_each():
    graph = read(*layers(12, scoped=True), fold="scopes")
    folds = [b for b in graph.boxes if b.kind == "fold"]
    assert [b.title for b in folds] == [f"layer {i}" for i in range(12)]
    first, *rest = (b.saved[0][0] for b in folds)
    assert first == "3 nodes, 2 leaves" and set(rest) == {"3 nodes, 1 leaf"}
    assert graph.count("leaf") == 0 and graph.leaves == 13  # each is used in one scope only
    with pytest.raises(ArgumentError, match='"scopes"'):
        read(*layers(2), fold="all")


def residual(count):
    """Layers as they are in language models: two lines that go around what is between."""
    def f(layers, x):
        for i, (w, u, b) in enumerate(layers):
            with viz.name_scope(f"layer {i}"):
                x = x + tanh(x @ w) * exp(x @ u + b)
        return mean(x, axis=(0, 1), keepdims=False)

    return trace(f, [(zeros(4, 4), zeros(4, 4), zeros(4)) for _ in range(count)], zeros(3, 4))


@pytest.mark.parametrize("fold", [True, False, "scopes"])
@pytest.mark.parametrize("count", [1, 12])
def test_no_words_are_written_over_others_or_over_boxes(count, fold):
    y, names = residual(count)
    picture = ET.fromstring(viz.draw(y, names=names, fold=fold, gradients=True))
    assert picture.find(f".//{SVG}text[@class='flow']") is not None
    for (a, one), (b, other) in itertools.combinations(places(picture), 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], (one, other)


SVG = "{http://www.w3.org/2000/svg}"


def places(element, x=0.0, y=0.0, inside=False):
    """((left, top, right, bottom), what) of each box, and of each text that stands in none."""
    move = re.search(r"translate\((\S+) (\S+)\)", element.get("transform", ""))
    if move:
        x, y = x + float(move[1]), y + float(move[2])
    first = element.find(f"{SVG}rect")
    card = element.tag == f"{SVG}g" and first is not None and first.get("x") is None
    if card:
        yield (x, y, x + float(first.get("width")), y + float(first.get("height"))), "box"
    if element.tag == f"{SVG}text" and not inside:
        size = 11 if element.get("class") == "flow" else 12
        left, foot = x + float(element.get("x")), y + float(element.get("y"))
        wide = 0.6 * size * len(element.text)
        left -= wide / 2 if element.get("text-anchor") == "middle" else 0
        yield (left, foot - 0.75 * size, left + wide, foot + 0.2 * size), element.text
    for child in element:
        yield from places(child, x, y, inside or card)


def test_layers_stand_below_each_other():
    def width_and_ends(count):
        boxes = read(*residual(count), fold=False).boxes
        cards = [Card(box) for box in boxes]
        layout = place([(c.width, c.height) for c in cards],
                       [(above, i) for i, box in enumerate(boxes) for above in box.above])
        adds = [x for box, (x, _) in zip(boxes, layout.centres, strict=True) if box.title == "add"]
        return layout.width, adds[1::2]  # the second of each layer is where its lines meet

    width, ends = width_and_ends(20)
    assert max(ends) - min(ends) < 1.0
    assert width == pytest.approx(width_and_ends(5)[0], rel=0.05)


def test_folded_boxes_tell_the_gradients_that_enter():
    def f(x):
        for i in range(3):
            with viz.name_scope(f"layer {i}"):
                x = x + x * 2.0
        return total(x, axis=(0,), keepdims=False)

    graph = read(*trace(f, mx.ones(4)), fold="scopes", gradients=True)
    flows = [w for b in graph.boxes if b.kind == "fold" for w in words(b)]
    # Ones arrive, of norm 2: twice through the product, once past it; then three times as much.
    assert flows == ["|g| 12 + |g| 6", "|g| 4 + |g| 2"]


def test_of_many_lines_into_one_box_the_range_is_told():
    def f(x):
        with viz.name_scope("powers"):
            y = x + x * 2.0 + x * 3.0
        return total(concatenate(y, y, y, axis=0), axis=(0,), keepdims=False)

    graph = read(*trace(lambda x: f(x * 1.0), mx.ones(4)), fold="scopes", gradients=True)
    boxes = {b.title: b for b in graph.boxes}
    # Each y gets ones, of norm 2, thrice: 6; that goes on once, twice and three times.
    assert words(boxes["powers"]) == ["3 \N{MULTIPLICATION SIGN} |g| 6 to 18"]
    picture = viz.draw(lambda x: f(x * 1.0), mx.ones(4), fold="scopes", gradients=True)
    assert ">3 \N{MULTIPLICATION SIGN} |g| 2</text>" in picture
    assert "its norm |g|" in picture and "its norm" not in viz.draw(f, mx.ones(4))
    nan = [(False, mx.array(n)) for n in (1.0, float("nan"), 2.0)]
    assert told(nan) == "3 \N{MULTIPLICATION SIGN} |g| 1 to nan"


def test_folded_blocks_begin_with_a_scope_where_they_may():
    def f(ws, x):
        for i, w in enumerate(ws):
            with viz.name_scope(f"layer {i}"):
                x = tanh(sin(x) @ w * 2.0)
        return mean(x, axis=(0, 1), keepdims=False)

    # x is constant, so the first layer lacks its first node: the repeats might start there.
    y, names = trace(lambda ws: f(ws, zeros(3, 4)), [zeros(4, 4) for _ in range(20)])
    boxes = read(y, names).boxes
    (fold,) = (i for i, b in enumerate(boxes) if b.kind == "fold")
    assert boxes[fold].title == "17 more like the 4 nodes above"
    scopes = [b.scope[0][0] for b in boxes if b.kind == "op" and b.scope]
    assert scopes == ["layer 0"] * 3 + ["layer 1"] * 4 + ["layer 19"] * 4


def test_the_words_below_a_cut_picture_are_about_what_it_shows():
    assert ">4 nodes, 2 leaves, 16 B saved<" in viz.draw(product, 2.0, 3.0)
    assert ">the last 2 nodes, 1 leaf, 4 B saved<" in viz.draw(product, 2.0, 3.0, limit=2)


def test_scopes_nest_decorate_and_end():
    @viz.name_scope
    def square(x):
        return x * x

    @viz.name_scope("outer")
    def both(x):
        return sin(square(x)) + 1.0

    boxes = read(*trace(lambda x: exp(both(x)), 2.0)).boxes
    scopes = {b.title: [name for name, _ in b.scope] for b in boxes if b.kind == "op"}
    assert scopes == {"multiply": ["outer", "square"], "sin": ["outer"], "add": ["outer"],
                      "exp": []}
    assert mode.watch == () and square.__name__ == "square"
    picture = viz.draw(lambda x: exp(both(x)), 2.0)
    assert "outer / square" in picture and 'class="frame"' in picture
    with pytest.raises(ArgumentError, match="takes a name"):
        viz.name_scope(3)


def test_a_notebook_scrolls_large_pictures():
    assert "overflow:auto" in viz.draw(product, 2.0, 3.0)._repr_html_()
