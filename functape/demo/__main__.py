"""The demo's command line."""

import time

import mlx.core as mx
import numpy
from absl import app, flags

import functape as ft
from functape import tree, viz
from functape.demo import curvature, digits, maml, model, oracle

FLAGS = flags.FLAGS
flags.DEFINE_integer("steps", 1000, "Batches of digits, and of meta-learning tasks.", lower_bound=1)
flags.DEFINE_integer("seed", 0, "Seed of all random numbers.")
flags.DEFINE_string("picture", "tape.svg", "Where to draw a small tape.")
flags.DEFINE_bool("curvature", True, "Find the top Hessian eigenvalue.")
flags.DEFINE_bool("maml", True, "Learn to learn sine waves.")
flags.DEFINE_bool("jax", True, "Compare gradients with JAX's, where it is installed.")


def main(argv):
    del argv
    start = time.perf_counter()
    params = show_digits()
    if FLAGS.curvature:
        show_curvature(params)
    if FLAGS.maml:
        show_maml()
    if FLAGS.jax:
        show_difference(params)
    if FLAGS.picture:
        show_picture(FLAGS.picture)
    print(f"{time.perf_counter() - start:.1f} s in all, on {mx.default_device()}")


def show_digits():
    start = time.perf_counter()
    params, accuracy = digits.train(FLAGS.steps, FLAGS.seed)
    seconds = time.perf_counter() - start
    print(f"digits: {accuracy:.1%} of the test images right after {FLAGS.steps} batches, "
          f"{seconds:.1f} s")
    return params


def show_curvature(params):
    # The function closes over the images, which so must be tensors: MLX's arrays do not know what
    # to do with a tensor on their right.
    train = tree.map(ft.asarray, digits.load()[0])
    eigenvalue, residual, count = curvature.top_eigenvalue(
        lambda p: digits.loss(p, *train), params, seed=FLAGS.seed
    )
    print(f"curvature: top Hessian eigenvalue {eigenvalue:.3f} of the training loss, relative "
          f"residual {residual:.0e} after {count} Hessian-vector products")


def show_maml():
    print("meta-learning: squared error on held-out waves, before -> after one gradient step")
    for step, before, after in maml.train(FLAGS.steps, FLAGS.seed):
        print(f"  meta-step {step:5d}: {before:5.2f} -> {after:5.2f}")


def show_difference(params):
    if oracle.available:
        difference = oracle.largest_difference(params)
        print(f"JAX: its gradients of the training loss differ by {difference:.1e} (relative, at "
              "most)")
    else:
        print("JAX: not installed, so nothing to compare with")


def show_picture(path):
    """Draw the tape of a small network's loss on a few digits."""
    params = model.init(numpy.random.default_rng(0), 64, 16, 10)
    images, targets = (a[:8] for a in digits.load()[0])
    viz.draw(digits.loss, params, images=images, targets=targets).save(path)
    print(f"picture: {path} shows the tape of a small network's loss")


if __name__ == "__main__":
    app.run(main)
