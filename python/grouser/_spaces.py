"""What grouser.env needs of Gymnasium, where that is not installed: a space of vectors and the base of environments."""

import numpy as np


class Box:
    """Vectors between two bounds, as gymnasium.spaces.Box."""

    def __init__(self, low, high, shape=None, dtype=np.float32, seed=None):
        self.dtype = np.dtype(dtype)
        self.shape = tuple(shape) if shape is not None else np.broadcast(low, high).shape
        self.low = np.broadcast_to(np.asarray(low, self.dtype), self.shape).copy()
        self.high = np.broadcast_to(np.asarray(high, self.dtype), self.shape).copy()
        self._random = np.random.default_rng(seed)

    def seed(self, seed=None):
        """Starts the random numbers of sample() again."""
        self._random = np.random.default_rng(seed)

    def sample(self):
        """A vector at random."""
        return self._random.uniform(self.low, self.high).astype(self.dtype)

    def contains(self, x):
        """Whether a vector has this shape and is within the bounds."""
        x = np.asarray(x)
        return x.shape == self.shape and bool(np.all(x >= self.low) and np.all(x <= self.high))


class Env:
    """Base of environments, as gymnasium.Env: the same random numbers for the same seed."""

    render_mode = None
    spec = None
    np_random = None

    def reset(self, *, seed=None, options=None):
        """Starts the random numbers again where a seed is given."""
        del options
        if seed is not None or self.np_random is None:
            self.np_random = np.random.default_rng(seed)

    @property
    def unwrapped(self):
        """The environment itself."""
        return self
