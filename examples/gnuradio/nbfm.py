#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A narrowband FM receiver without hardware or display: a carrier at 576 kHz, throttled to real time, demodulated, deemphasized and
decimated to 48 kHz. Run alone, it receives for two seconds and says how many samples came out."""

from __future__ import annotations

import math
import time

from gnuradio import analog, blocks, filter, gr
from gnuradio.filter import firdes

RATE = 576_000
DECIMATION = 12
DEEMPHASIS_S = 75e-6


def deemphasis() -> tuple[list[float], list[float]]:
    """Taps of a low-pass of one pole, by the bilinear transform."""
    corner = 1 / math.tan(1 / (2 * DEEMPHASIS_S * RATE))
    return [1 / (1 + corner), 1 / (1 + corner)], [1.0, (1 - corner) / (1 + corner)]


class Receiver(gr.top_block):
    def __init__(self) -> None:
        gr.top_block.__init__(self, "NBFM receiver")
        forward, backward = deemphasis()
        taps = firdes.low_pass(1, RATE, 5_000, 3_000)
        self.carrier = analog.sig_source_c(RATE, analog.GR_COS_WAVE, 1_000, 1)
        self.throttle = blocks.throttle(gr.sizeof_gr_complex, RATE)
        self.demodulate = analog.quadrature_demod_cf(RATE / (2 * math.pi * 5_000))
        self.deemphasis = filter.iir_filter_ffd(forward, backward, False)
        self.decimate = filter.fir_filter_fff(DECIMATION, taps)
        self.sink = blocks.null_sink(gr.sizeof_float)
        self.connect(self.carrier, self.throttle, self.demodulate, self.deemphasis, self.decimate, self.sink)


def main() -> None:
    receiver = Receiver()
    receiver.start()
    time.sleep(2)
    print(f"{receiver.sink.nitems_read(0)} samples of audio")
    receiver.stop()
    receiver.wait()


if __name__ == "__main__":
    main()
