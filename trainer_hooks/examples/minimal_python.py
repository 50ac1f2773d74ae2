# SPDX-License-Identifier: MIT
"""A trainer in Python with the dumper's C interface, through ctypes and NumPy.

    FOXHUNT_DETERMINISM_DEBUG_BACKWARD=1 python3 minimal_python.py [libfoxhunt_dump.so]

Logistic regression on points of two clouds. Where each of the profile's buffers comes from is told
in JSON, the same that a run's manifest holds (keys: dump/FORMAT.md).
"""
import ctypes
import json
import sys

import numpy as np

ROWS, INPUTS, STEPS = 64, 4, 6

PROFILE = {
    "version": 1,
    "name": "minimal-python",
    "buffers": [
        {"name": "x", "group": "g", "dtype": "f32", "shape": [ROWS, INPUTS]},
        {"name": "label", "group": "g", "dtype": "f32", "shape": [ROWS]},
        {"name": "p", "group": "h", "dtype": "f32", "shape": [ROWS]},
        {"name": "grad", "group": "l", "dtype": "f32", "shape": [INPUTS]},
        {"name": "params", "group": "m", "dtype": "f32", "shape": [INPUTS]},
        {"name": "params_in", "group": "m", "dtype": "f32", "shape": [INPUTS], "carries": "params"},
    ],
    "makers": [
        {"name": "sample_points", "kind": "host"},
        {"name": "forward", "kind": "kernel"},
        {"name": "backward", "kind": "kernel"},
        {"name": "sgd_step", "kind": "kernel"},
    ],
    "launches": [
        {"kernel": "sample_points", "reads": [], "makes": ["x", "label"]},
        {"kernel": "forward", "reads": ["x", "params[-1]"], "makes": ["p"]},
        {"kernel": "backward", "reads": ["x", "label", "p"], "makes": ["grad"]},
        {"kernel": "sgd_step", "reads": ["grad", "params[-1]"], "makes": ["params"]},
    ],
}


class Dumper:
    """The few calls that a trainer needs. Does nothing unless the environment arms the dumper."""

    def __init__(self, library, profile):
        self._lib = lib = ctypes.CDLL(library)
        for name in ("foxhunt_step_begin", "foxhunt_last_message"):
            getattr(lib, name).restype = ctypes.c_void_p
        self._handle, self._step = ctypes.c_void_p(), None
        if lib.foxhunt_armed():
            text, graph = json.dumps(profile).encode(), ctypes.c_void_p()
            if lib.foxhunt_profile_from_json(text, ctypes.c_size_t(len(text)), ctypes.byref(graph)):
                raise ValueError(ctypes.string_at(lib.foxhunt_last_message()).decode())
            lib.foxhunt_open_from_environment(graph, None, ctypes.byref(self._handle))
            lib.foxhunt_profile_destroy(graph)

    def begin(self, number):
        step = self._lib.foxhunt_step_begin(self._handle, ctypes.c_uint64(number))
        self._step = ctypes.c_void_p(step)

    def note(self, name, array):
        if self._step:
            array = np.ascontiguousarray(array)
            data, size = ctypes.c_void_p(array.ctypes.data), ctypes.c_uint64(array.nbytes)
            self._lib.foxhunt_note_host(self._step, name.encode(), data, size)

    def end(self):
        self._lib.foxhunt_step_end(self._step)

    def close(self):
        self._lib.foxhunt_close(self._handle)


def main():
    dumper = Dumper(sys.argv[1] if len(sys.argv) > 1 else "libfoxhunt_dump.so", PROFILE)
    rng = np.random.default_rng(7)
    params = np.zeros(INPUTS, np.float32)
    for n in range(STEPS):
        dumper.begin(n)
        dumper.note("params_in", params)

        label = rng.integers(0, 2, ROWS).astype(np.float32)
        x = (rng.standard_normal((ROWS, INPUTS)) + label[:, None]).astype(np.float32)
        dumper.note("x", x)
        dumper.note("label", label)

        p = 1 / (1 + np.exp(-x @ params))
        dumper.note("p", p)

        grad = x.T @ (p - label) / np.float32(ROWS)
        dumper.note("grad", grad)

        params = params - np.float32(0.5) * grad
        dumper.note("params", params)
        dumper.end()
    dumper.close()
    print("params", " ".join(f"{value:.9g}" for value in params))


if __name__ == "__main__":
    main()
