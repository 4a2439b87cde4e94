"""Optimizer: one of MLX's update rules for the leaves of a program, and their gradients.

MLX's rule objects take arrays and keep a step count and hyperparameters; here each group of leaves
has one. What they compute is put into the leaves' cells, so a leaf stays the object it is, and its
version says that it changed.
"""

import inspect

import mlx.core as mx

from functape.autograd.grad_mode import enable_grad
from functape.errors import ArgumentError, GraphError, ShapeError, describe
from functape.op import Value, levels
from functape.optim.ranges import check_values
from functape.pairs import complex128
from functape.tensor import Tensor


class Optimizer:
    """The base of all optimizers; a subclass names its rule.

    Args:
      params: leaves, or groups of them: dicts with the leaves under "params" and hyperparameters
        of the group's own beside it.
      lr: the learning rate, or a schedule of mlx.optimizers, a function of the step.
      **defaults: other hyperparameters, by the names they have in mlx.optimizers.

    >>> import functape as ft
    >>> import mlx.optimizers
    >>> class Descent(ft.optim.Optimizer):
    ...     rule = mlx.optimizers.SGD
    >>> w = ft.tensor(1.0, requires_grad=True)
    >>> optimizer = Descent([{"params": [w], "momentum": 0.9}], lr=0.25)
    >>> (w * w).backward()
    >>> optimizer.step()
    >>> w.item()
    0.5
    """

    rule = None  # a class of mlx.optimizers
    usual: dict = {}  # hyperparameters that have another default than there

    def __init__(self, params, lr, **defaults):
        if self.rule is None:
            raise ArgumentError("Optimizer is the base class; use SGD, Adam or another.")
        self.defaults = {**self.usual, "lr": lr, **defaults}
        check_names(type(self), self.defaults)
        self.state = {}  # leaf -> what the rule keeps for it, a dict of arrays
        self.param_groups = []
        self.rules = []  # for each group: (hyperparameters, the rule made with them)
        for group in as_groups(type(self).__name__, params):
            self.add_param_group(group)

    def add_param_group(self, group):
        """Add leaves, with hyperparameters of their own where the dict has them.

        Args:
          group: a dict; "params" holds a leaf or several.
        """
        name = type(self).__name__
        if not isinstance(group, dict) or "params" not in group:
            raise ArgumentError(f"{name}: a parameter group is a dict with an entry 'params', but "
                                f"got {describe(group)}.")
        leaves = group["params"]
        leaves = [leaves] if isinstance(leaves, Tensor) else list(leaves)
        known = [p for g in self.param_groups for p in g["params"]]
        for i, p in enumerate(leaves):
            check_leaf(name, p, i)
            if any(p is q for q in known + leaves[:i]):
                raise ArgumentError(f"{name}: parameter {i}, {describe(p)}, is given twice. Name "
                                    "each leaf in one group.")
        full = {**self.defaults, **group, "params": leaves}
        hyperparameters = {k: v for k, v in full.items() if k != "params"}
        check_names(type(self), hyperparameters)
        check_values(self.rule, hyperparameters)
        self.param_groups.append(full)
        self.rules.append((None, None))

    def current(self, i):
        """The rule of a group, made anew where its hyperparameters were changed."""
        wanted = {k: v for k, v in self.param_groups[i].items() if k != "params"}
        given, rule = self.rules[i]
        if given != wanted:
            check_values(self.rule, wanted)
            new = self.rule(**{RENAMED.get(k, k): v for k, v in wanted.items()})
            if rule is not None:
                new.state["step"] = rule.state["step"]
            self.rules[i] = (wanted, new)
        return self.rules[i][1]

    def zero_grad(self, set_to_none=True):
        """Forget the gradients of all leaves; with ``set_to_none=False`` fill them with zeros."""
        for group in self.param_groups:
            for p in group["params"]:
                p.zero_grad(set_to_none)

    def step(self, closure=None):
        """Change every leaf that has a gradient, in place.

        Args:
          closure: computes the loss anew, and its gradients, before the step.

        Returns:
          What the closure returned, or None.
        """
        if levels.tracing:
            raise GraphError(f"{type(self).__name__}.step() changes leaves in place, which jit "
                             "cannot record. Let the function return gradients, and step outside "
                             "of it; or return new parameters, by mlx.optimizers.")
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        changed = []
        for i, group in enumerate(self.param_groups):
            rule = self.current(i)
            rule.apply_gradients({}, {})  # counts the step and moves schedules on
            for p in group["params"]:
                if p.grad is not None:
                    changed += self.update(rule, p)
        mx.async_eval(changed)  # or the lazy graph would grow from step to step
        return loss

    def update(self, rule, p):
        """Apply a rule to one leaf; returns the arrays that were made."""
        data, gradient = p.array, p.grad.array
        state = self.state.get(p)
        if state is None:
            state = self.state[p] = {}
            rule.init_single(data, state)
        new = rule.apply_single(gradient, data, state)
        p.change(new if new.dtype == data.dtype else new.astype(data.dtype),
                      f"{type(self).__name__}.step")
        return [p.array, *(a for a in state.values() if isinstance(a, mx.array))]

    # --- saving ----------------------------------------------------------------------------------

    def state_dict(self):
        """Everything but the leaves, which stand as their numbers: to be saved and loaded.

        Returns:
          ``{"state": {number: {name: array}}, "param_groups": [...]}``; each group has its
          hyperparameters, its "step" and the numbers of its leaves under "params".
        """
        numbers, groups = {}, []
        for i, group in enumerate(self.param_groups):
            for p in group["params"]:
                numbers[p] = len(numbers)
            groups.append({**group, "params": [numbers[p] for p in group["params"]],
                           "step": int(self.current(i).step.item())})
        return {"state": {numbers[p]: dict(s) for p, s in self.state.items()},
                "param_groups": groups}

    def load_state_dict(self, state_dict):
        """Go on from where another optimizer of the same leaves, in the same groups, was."""
        name = type(self).__name__
        groups = state_dict["param_groups"]
        sizes = [len(g["params"]) for g in self.param_groups]
        if [len(g["params"]) for g in groups] != sizes:
            raise ShapeError(f"{name}: this optimizer has groups of {sizes} leaves, but the state "
                             f"has {[len(g['params']) for g in groups]}. Build it with the same "
                             "parameters first.")
        leaves = {}
        for own, loaded in zip(self.param_groups, groups, strict=True):
            leaves |= dict(zip(loaded["params"], own["params"], strict=True))
        for number, kept in state_dict["state"].items():
            check_state(name, leaves[number], kept)
        self.state = {leaves[number]: {k: copied(a) for k, a in kept.items()}
                      for number, kept in state_dict["state"].items()}
        for i, (own, loaded) in enumerate(zip(self.param_groups, groups, strict=True)):
            own.update({k: v for k, v in loaded.items() if k not in ("params", "step")})
            self.rules[i] = (None, None)
            self.current(i).state["step"] = mx.array(loaded["step"], mx.uint64)

    def __repr__(self):
        groups = [", ".join(f"{k}={v}" for k, v in g.items() if k != "params")
                  + f", {len(g['params'])} leaves" for g in self.param_groups]
        return f"{type(self).__name__}({'; '.join(groups)})"


RENAMED = {"lr": "learning_rate"}


def copied(a):
    return mx.array(a) if isinstance(a, mx.array) else a


def check_names(cls, hyperparameters):
    """Only hyperparameters that the rule has."""
    known = [{"learning_rate": "lr"}.get(n, n)
             for n in list(inspect.signature(cls.rule.__init__).parameters)[1:]]
    for name in hyperparameters:
        if name not in known:
            raise ArgumentError(f"{cls.__name__} has no hyperparameter {name!r}; it has "
                                f"{', '.join(known)}.")


def check_leaf(name, p, i):
    if isinstance(p, mx.array):
        raise ArgumentError(f"{name}: parameter {i} is an mx.array, which has no gradient. Make it "
                            "a leaf, functape.tensor(a, requires_grad=True), or use "
                            "mlx.optimizers with functape.grad.")
    if not isinstance(p, Tensor) or p.rank:
        raise ArgumentError(f"{name}: parameters are tensors, but parameter {i} is {describe(p)}.")
    if p.dtype is complex128:
        raise ArgumentError(f"{name}: parameter {i} is {describe(p)}, and the rules are MLX's, "
                            "which has no complex128. Keep its real and its imaginary part as two "
                            "leaves, or take complex64.")
    if p.node is not None:
        raise GraphError(f"{name}: parameters are leaves, but parameter {i} is the result of "
                         f"{p.node.name}. detach() it and set requires_grad.")


def as_groups(name, params):
    """A list of groups from leaves, or from groups."""
    if isinstance(params, (Value, mx.array)):
        raise ArgumentError(f"{name} takes a list of leaves, but got {describe(params)}. Write "
                            "[p].")
    if isinstance(params, dict):
        raise ArgumentError(f"{name} takes a list of leaves or of groups, but got a dict. Write "
                            "list(params.values()), or [group] for one group.")
    params = list(params)
    if not params:
        raise ShapeError(f"{name} got no parameters.")
    return params if isinstance(params[0], dict) else [{"params": params}]


def check_state(name, leaf, kept):
    for key, a in kept.items():
        same_rank = isinstance(a, mx.array) and len(a.shape) == len(leaf.shape)
        if same_rank and a.shape != leaf.shape:
            raise ShapeError(f"{name}: the state {key!r}, {describe(a)}, does not belong to "
                             f"parameter {describe(leaf)}.")
