"""Data for the demo and the docs: 1,797 handwritten digits, 8 x 8 pixels (DIGITS.md: whose)."""

from importlib.resources import files

import numpy as np


def digits(held_out=360, seed=0):
    """Handwritten digits, shuffled and split into a training and a test part.

    Args:
      held_out: how many of the 1,797 images to keep for the test.
      seed: of the shuffling.

    Returns:
      ``((images, labels), (test_images, test_labels))``, NumPy arrays: float32 images
      ``(n, 64)`` with ink from 0 to 1, and integer labels ``(n,)``.

    >>> (images, labels), (test_images, test_labels) = digits()
    >>> images.shape, test_images.shape
    ((1437, 64), (360, 64))
    """
    with (files(__name__) / "digits.npz").open("rb") as file, np.load(file) as stored:
        images = stored["images"].reshape(-1, 64).astype(np.float32) / 16
        labels = stored["labels"].astype(np.int32)
    order = np.random.default_rng(seed).permutation(len(images))
    train, test = order[held_out:], order[:held_out]
    return (images[train], labels[train]), (images[test], labels[test])
