# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the Holoscan SDK: as much of its Python interface as the recorder meets, and no more."""
