"""C38, C40: what a node saved can be looked at; values of transforms cannot be changed in place."""

import pytest

import functape as ft
from functape.errors import GraphError, InplaceError


def test_c38_a_node_shows_what_it_saved():
    x, w = ft.tensor(3.0, requires_grad=True), ft.tensor(5.0)
    y = x * w
    assert y.grad_fn.saved_values["y"].item() == 5.0
    z = y * y
    saved = z.grad_fn.saved_values["x"]
    assert saved.item() == 15.0 and saved.grad_fn is y.grad_fn
    assert (x * x).grad_fn.saved_values["x"] is x


def test_c38_what_was_freed_or_changed_is_not_shown():
    x = ft.tensor(3.0, requires_grad=True)
    y = x * x
    y.backward()
    with pytest.raises(GraphError, match="freed"):
        _ = y.grad_fn.saved_values
    h = x * 1.0
    y = h * h
    h.add_(1.0)
    with pytest.raises(InplaceError, match="add_"):
        _ = y.grad_fn.saved_values


def test_c18_the_message_names_both_ops_and_both_versions():
    x = ft.tensor([3.0, 4.0], requires_grad=True)
    y = x * 1.0
    y.add_(1.0)
    z = (y * y).sum()
    y.sub_(1.0)
    y.mul_(2.0)
    with pytest.raises(InplaceError, match=r"MultiplyBackward needs .*float32\[2\].*by sub_ "
                       r"\(saved at version 1, now at version 3\)"):
        z.backward()


def test_c38_saved_values_go_through_the_hooks():
    x = ft.tensor(3.0, requires_grad=True)
    with ft.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t * 2.0):
        y = x * x
    assert y.grad_fn.saved_values["x"].item() == 6.0


@pytest.mark.parametrize("change", [
    lambda x: x.mul_(2.0), lambda x: x.zero_(), lambda x: x.__setitem__(0, 1.0),
    lambda x: x.copy_(x),
])
def test_c40_in_place_inside_vmap_and_jvp_says_what_to_do(change):
    x = ft.ones(3, 2)
    with pytest.raises(InplaceError, match="out-of-place"):
        ft.vmap(change)(x)
    with pytest.raises(InplaceError, match="out-of-place"):
        ft.jvp(change, (x,), (x,))
    assert x.tolist() == [[1.0, 1.0]] * 3
