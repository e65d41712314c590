# SPDX-License-Identifier: Apache-2.0
"""Hierarchical blocks that GNU Radio has in C++, where Python does not see what is in them: put together here of the same blocks, connected
in the same way (top_block.edge_list() shows it), so that each of them can be measured, batched and scheduled."""

from __future__ import annotations

from typing import Any


def channel_model(gr: Any) -> Any:
    """A class in place of gnuradio.channels.channel_model."""
    from gnuradio import analog, blocks, filter  # pylint: disable=redefined-builtin

    class ChannelModel(gr.hier_block2):
        def __init__(
            self,
            noise_voltage: float = 0.0,
            frequency_offset: float = 0.0,
            epsilon: float = 1.0,
            taps: Any = (1.0 + 0j,),
            noise_seed: float = 0,
            block_tags: bool = False,
        ) -> None:
            signature = gr.io_signature(1, 1, gr.sizeof_gr_complex)
            gr.hier_block2.__init__(self, "channel_model", signature, signature)
            self.timing = filter.mmse_resampler_cc(0, epsilon)
            self.multipath = filter.fir_filter_ccc(1, list(taps))
            self.mixer = blocks.multiply_cc(1)
            self.noise_adder = blocks.add_cc(1)
            self.noise = analog.fastnoise_source_c(analog.GR_GAUSSIAN, noise_voltage, int(noise_seed), 8192)
            self.offset = analog.sig_source_c(1, analog.GR_SIN_WAVE, frequency_offset, 1.0, 0)
            if block_tags:
                self.timing.set_tag_propagation_policy(gr.TPP_DONT)
            self.connect(self, self.timing, self.multipath, (self.mixer, 0))
            self.connect(self.offset, (self.mixer, 1))
            self.connect(self.mixer, (self.noise_adder, 1))
            self.connect(self.noise, (self.noise_adder, 0))
            self.connect(self.noise_adder, self)

        def set_noise_voltage(self, noise_voltage: float) -> None:
            self.noise.set_amplitude(noise_voltage)

        def set_frequency_offset(self, frequency_offset: float) -> None:
            self.offset.set_frequency(frequency_offset)

        def set_taps(self, taps: Any) -> None:
            self.multipath.set_taps(list(taps))

        def set_timing_offset(self, epsilon: float) -> None:
            self.timing.set_resamp_ratio(epsilon)

        def noise_voltage(self) -> float:
            return float(self.noise.amplitude())

        def frequency_offset(self) -> float:
            return float(self.offset.frequency())

        def taps(self) -> Any:
            return self.multipath.taps()

        def timing_offset(self) -> float:
            return float(self.timing.resamp_ratio())

    return ChannelModel


def replace(gr: Any, channels: Any) -> None:
    """Of the module gnuradio.channels: flowgraphs that are made from now on have these."""
    channels.channel_model = channel_model(gr)
