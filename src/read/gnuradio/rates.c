/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known about types of blocks: how many samples they make of how many, and which of them run at a frequency of their own.
 * Samples are the items of a stream, so that a vector is one of them. Blocks whose rate depends on what they see (synchronisers,
 * packets, gates) are missing on purpose.
 */
#include "read/gnuradio/grc.h"

#include "model/pipeline.h"

#include <string.h>

/* Each side is a product of numbers and parameters. */
struct rule {
    const char *types; /* words, with a space around each */
    const char *produce, *consume;
    bool ratio;               /* only the quotient counts: both sides may be fractions, and are reduced */
    const char *key, *prefix; /* applies where this parameter begins so; NULL: always */
};

static const struct rule rules[] = {
    {" fir_filter_xxx fft_filter_xxx freq_xlating_fir_filter_xxx freq_xlating_fft_filter_ccc"
     " filter_fft_low_pass_filter filter_fft_rrc_filter pfb_decimator_ccf blocks_integrate_xx ",
     "1", "decim", false, NULL, NULL},
    {" interp_fir_filter_xxx pfb_interpolator_ccf blocks_repeat ", "interp", "1", false, NULL, NULL},
    {" low_pass_filter high_pass_filter band_pass_filter band_reject_filter root_raised_cosine_filter ", "1", "decim", false,
     "type", "fir_"},
    {" low_pass_filter high_pass_filter band_pass_filter band_reject_filter root_raised_cosine_filter ", "interp", "1", false,
     "type", "interp_"},
    {" rational_resampler_xxx rational_resampler_base_xxx ", "interp", "decim", true, NULL, NULL},
    {" pfb_arb_resampler_xxx ", "rrate", "1", true, NULL, NULL},
    {" mmse_resampler_xx ", "1", "resamp_ratio", true, NULL, NULL},
    {" pfb_channelizer_ccf ", "osr", "nchans", true, NULL, NULL},
    {" ival_decimator ", "1", "decimation", false, NULL, NULL},
    {" goertzel_fc ", "1", "len", false, NULL, NULL},
    {" blocks_keep_one_in_n ", "1", "n", false, NULL, NULL},
    {" blocks_keep_m_in_n ", "m", "n", false, NULL, NULL},
    {" blocks_stream_to_vector ", "1", "num_items", false, NULL, NULL},
    {" blocks_vector_to_stream ", "num_items", "1", false, NULL, NULL},
    {" blocks_stream_to_streams ", "1", "num_streams", false, NULL, NULL},
    {" blocks_streams_to_stream ", "num_streams", "1", false, NULL, NULL},
    {" blocks_interleave ", "num_streams*blocksize", "blocksize", false, NULL, NULL},
    {" blocks_deinterleave ", "blocksize", "num_streams*blocksize", false, NULL, NULL},
    {" blocks_matrix_interleaver ", "rows*cols", "rows*cols", false, NULL, NULL},
    {" blocks_pack_k_bits_bb ", "1", "k", false, NULL, NULL},
    {" blocks_unpack_k_bits_bb ", "k", "1", false, NULL, NULL},
    {" blocks_repack_bits_bb ", "k", "l", true, "len_tag_key", "\"\""},
    {" blocks_repack_bits_bb ", "k", "l", true, "len_tag_key", "''"},
    {" blocks_packed_to_unpacked_xx ", "8", "bits_per_chunk", true, "type", "byte"},
    {" blocks_packed_to_unpacked_xx ", "16", "bits_per_chunk", true, "type", "short"},
    {" blocks_packed_to_unpacked_xx ", "32", "bits_per_chunk", true, "type", "int"},
    {" blocks_unpacked_to_packed_xx ", "bits_per_chunk", "8", true, "type", "byte"},
    {" blocks_unpacked_to_packed_xx ", "bits_per_chunk", "16", true, "type", "short"},
    {" blocks_unpacked_to_packed_xx ", "bits_per_chunk", "32", true, "type", "int"},
    {" blocks_complex_to_interleaved_char blocks_complex_to_interleaved_short ", "2", "1", false, "vector_output", "False"},
    {" blocks_complex_to_interleaved_char blocks_complex_to_interleaved_short ", "1", "1", false, "vector_output", "True"},
    {" blocks_interleaved_char_to_complex blocks_interleaved_short_to_complex ", "1", "2", false, "vector_input", "False"},
    {" blocks_interleaved_char_to_complex blocks_interleaved_short_to_complex ", "1", "1", false, "vector_input", "True"},
    {" analog_nbfm_rx ", "audio_rate", "quad_rate", true, NULL, NULL},
    {" analog_nbfm_tx analog_wfm_tx ", "quad_rate", "audio_rate", true, NULL, NULL},
    {" analog_wfm_rcv analog_wfm_rcv_pll ", "1", "audio_decimation", false, NULL, NULL},
    {" analog_am_demod_cf analog_fm_demod_cf ", "1", "audio_decim", false, NULL, NULL},
    {" analog_cpfsk_bc ", "samples_per_symbol", "1", false, NULL, NULL},
    {" analog_pwr_squelch_xx analog_ctcss_squelch_ff ", "1", "1", false, "gate", "False"},
    {" channels_channel_model channels_channel_model2 ", "1", "epsilon", true, NULL, NULL},
    {" digital_chunks_to_symbols_xx ", "dimension", "1", false, NULL, NULL},
    {" digital_linear_equalizer digital_decision_feedback_equalizer ", "1", "sps", false, NULL, NULL},
    {" digital_gmsk_mod digital_gfsk_mod ", "8*samples_per_symbol", "1", false, "do_unpack", "True"},
    {" digital_gmsk_mod digital_gfsk_mod ", "samples_per_symbol", "1", false, "do_unpack", "False"},
    {" fec_encode_ccsds_27_bb ", "16", "1", false, NULL, NULL},
    {" fec_decode_ccsds_27_fb ", "1", "16", false, NULL, NULL},
    {" vocoder_cvsd_encode_sb ", "1", "8", false, NULL, NULL},
    {" vocoder_cvsd_decode_bs ", "8", "1", false, NULL, NULL},
    {" vocoder_gsm_fr_encode_sp ", "1", "160", false, NULL, NULL},
    {" vocoder_gsm_fr_decode_ps ", "160", "1", false, NULL, NULL},
};

/* One sample out for one sample in: words with a space around each. */
static const char one_to_one[] =
    " analog_agc2_xx analog_agc3_xx analog_agc_xx analog_dpll_bb analog_feedforward_agc_cc analog_fm_deemph"
    " analog_fm_preemph analog_fmdet_cf analog_frequency_modulator_fc analog_phase_modulator_fc"
    " analog_pll_carriertracking_cc analog_pll_freqdet_cf analog_pll_refout_cc analog_quadrature_demod_cf analog_rail_ff"
    " analog_simple_squelch_cc analog_standard_squelch"
    " blocks_abs_xx blocks_add_const_vxx blocks_add_xx blocks_and_const_xx blocks_and_xx blocks_argmax_xx"
    " blocks_burst_tagger blocks_char_to_float blocks_char_to_short blocks_complex_to_arg blocks_complex_to_float"
    " blocks_complex_to_imag blocks_complex_to_mag blocks_complex_to_mag_squared blocks_complex_to_magphase"
    " blocks_complex_to_real blocks_conjugate_cc blocks_copy blocks_correctiq blocks_correctiq_auto blocks_correctiq_man"
    " blocks_delay blocks_divide_xx blocks_endian_swap blocks_exponentiate_const_cci blocks_float_to_char"
    " blocks_float_to_complex blocks_float_to_int blocks_float_to_short blocks_float_to_uchar blocks_freqshift_cc"
    " blocks_head blocks_int_to_float blocks_magphase_to_complex blocks_max_xx blocks_min_xx blocks_moving_average_xx"
    " blocks_multiply_by_tag_value_cc blocks_multiply_conjugate_cc blocks_multiply_const_vxx blocks_multiply_const_xx"
    " blocks_multiply_matrix_xx blocks_multiply_xx blocks_mute_xx blocks_nlog10_ff blocks_nop blocks_not_xx blocks_or_xx"
    " blocks_peak_detector_xb blocks_phase_shift blocks_plateau_detector_fb blocks_regenerate_bb blocks_rms_xx"
    " blocks_rotator_cc blocks_sample_and_hold_xx blocks_short_to_char blocks_short_to_float blocks_skiphead"
    " blocks_stream_to_tagged_stream blocks_streams_to_vector blocks_stretch_ff blocks_sub_xx blocks_swapiq blocks_tag_gate"
    " blocks_tag_share blocks_threshold_ff blocks_throttle blocks_throttle2 blocks_transcendental blocks_uchar_to_float"
    " blocks_vco_c blocks_vco_f blocks_vector_to_streams blocks_xor_xx"
    " channels_amp_bal channels_cfo_model channels_distortion_2_gen channels_distortion_3_gen channels_fading_model"
    " channels_impairments channels_iqbal_gen channels_phase_bal channels_phase_noise_gen channels_quantizer"
    " channels_selective_fading_model channels_selective_fading_model2 dc_blocker_xx"
    " digital_additive_scrambler_bb digital_binary_slicer_fb digital_constellation_decoder_cb digital_corr_est_cc"
    " digital_correlate_access_code_tag_xx digital_costas_loop_cc digital_descrambler_bb digital_diff_decoder_bb"
    " digital_diff_encoder_bb digital_diff_phasor_cc digital_fll_band_edge_cc digital_map_bb digital_meas_evm_cc"
    " digital_mpsk_snr_est_cc digital_scrambler_bb fft_vxx filter_delay_fc filterbank_vcvcf hilbert_fc iir_filter_xxx"
    " single_pole_iir_filter_xx"
    " vocoder_alaw_decode_bs vocoder_alaw_encode_sb vocoder_g721_decode_bs vocoder_g721_encode_sb vocoder_g723_24_decode_bs"
    " vocoder_g723_24_encode_sb vocoder_g723_40_decode_bs vocoder_g723_40_encode_sb vocoder_ulaw_decode_bs"
    " vocoder_ulaw_encode_sb ";

/* Blocks that keep time, by the beginning and the end of their type. */
static const struct {
    const char *begin, *end, *key;
    enum weir_grc_anchor anchor;
} clocks[] = {
    {"blocks_throttle", "", "samples_per_second", WEIR_GRC_PACED},
    {"audio_", "source", "samp_rate", WEIR_GRC_DEVICE},
    {"uhd_usrp_", "source", "samp_rate", WEIR_GRC_DEVICE},
    {"soapy_", "source", "samp_rate", WEIR_GRC_DEVICE},
    {"limesdr_", "source", "samp_rate", WEIR_GRC_DEVICE},
    {"iio_", "source", "samplerate", WEIR_GRC_DEVICE},
    {"osmosdr_", "source", "sample_rate", WEIR_GRC_DEVICE},
    {"rtlsdr_", "source", "sample_rate", WEIR_GRC_DEVICE},
    {"audio_", "sink", "samp_rate", WEIR_GRC_PLAYED},
    {"uhd_usrp_", "sink", "samp_rate", WEIR_GRC_PLAYED},
    {"soapy_", "sink", "samp_rate", WEIR_GRC_PLAYED},
    {"limesdr_", "sink", "samp_rate", WEIR_GRC_PLAYED},
    {"iio_", "sink", "samplerate", WEIR_GRC_PLAYED},
    {"osmosdr_", "sink", "sample_rate", WEIR_GRC_PLAYED},
    {"analog_sig_source_x", "", "samp_rate", WEIR_GRC_NOMINAL},
};

static bool is_among(const char *type, const char *words)
{
    char word[64];
    return !strchr(type, ' ') && snprintf(word, sizeof word, " %s ", type) < (int)sizeof word && strstr(words, word);
}

/* A product such as "8*samples_per_symbol". */
static bool side(struct weir_grc *g, const struct weir_grc_block *block, const char *product, struct weir_grc_number *number)
{
    char factor[64];
    *number = (struct weir_grc_number){.numerator = 1, .denominator = 1};
    while (*product) {
        size_t bytes = strcspn(product, "*");
        snprintf(factor, sizeof factor, "%.*s", (int)bytes, product);
        struct weir_grc_number value;
        bool digits = strspn(factor, "0123456789") == bytes;
        if (!weir_grc_value(g, digits ? factor : weir_grc_parameter(block, factor), &value) ||
            !weir_grc_multiply(*number, value, number))
            return false;
        product += bytes + (product[bytes] == '*');
    }
    return number->numerator > 0;
}

static bool applies(const struct rule *rule, const struct weir_grc_block *block)
{
    if (!is_among(block->type, rule->types))
        return false;
    const char *value = rule->key ? weir_grc_parameter(block, rule->key) : NULL;
    return !rule->key || (value && strncmp(value, rule->prefix, strlen(rule->prefix)) == 0);
}

static void set_rate(struct weir_grc *g, struct weir_grc_block *block, const struct rule *rule)
{
    struct weir_grc_number out, in, quotient;
    if (!side(g, block, rule->produce, &out) || !side(g, block, rule->consume, &in))
        return;
    if (rule->ratio) {
        if (!weir_grc_divide(out, in, &quotient))
            return;
        out = in = (struct weir_grc_number){.denominator = 1};
        out.numerator = quotient.numerator;
        in.numerator = quotient.denominator;
    }
    if (out.denominator != 1 || in.denominator != 1 || out.numerator > WEIR_QUEUE_MAX || in.numerator > WEIR_QUEUE_MAX)
        return;
    block->produce = (uint32_t)out.numerator;
    block->consume = (uint32_t)in.numerator;
    block->has_rate = true;
}

static bool ends_in(const char *type, const char *end)
{
    size_t all = strlen(type), bytes = strlen(end);
    return all >= bytes && strcmp(type + all - bytes, end) == 0;
}

void weir_grc_look_up(struct weir_grc *g, struct weir_grc_block *block)
{
    block->produce = block->consume = 1;
    block->anchor = WEIR_GRC_FREE;
    block->has_rate = is_among(block->type, one_to_one);
    for (size_t i = 0; i < sizeof rules / sizeof *rules && !block->has_rate; i++)
        if (applies(&rules[i], block))
            set_rate(g, block, &rules[i]);
    if (block->inputs == 0 || block->outputs == 0)
        block->has_rate = true; /* it takes, or gives, what is there */
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks && block->anchor == WEIR_GRC_FREE; i++) {
        struct weir_grc_number value;
        bool matches = strncmp(block->type, clocks[i].begin, strlen(clocks[i].begin)) == 0 && ends_in(block->type, clocks[i].end);
        if (!matches || !weir_grc_value(g, weir_grc_parameter(block, clocks[i].key), &value) || value.numerator <= 0)
            continue;
        block->anchor = clocks[i].anchor;
        block->frequency = value;
    }
}
