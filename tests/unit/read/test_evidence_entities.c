/* SPDX-License-Identifier: Apache-2.0 */
/* What applications of GXF and descriptions of operators say of ports and conditions, and what is wrong with bad ones. */
#include "hearing.h"
#include "support/runner.h"

/* ---- applications of GXF ---- */

#define TX(name)                                                                                                                   \
    "---\nname: " name "\ncomponents:\n- name: signal\n  type: nvidia::gxf::DoubleBufferTransmitter\n"                             \
    "- type: nvidia::gxf::DownstreamReceptiveSchedulingTerm\n  parameters:\n    transmitter: signal\n    min_size: 1\n"
#define RX(name)                                                                                                                   \
    "---\nname: " name                                                                                                             \
    "\ncomponents:\n- name: signal\n  type: nvidia::gxf::DoubleBufferReceiver\n  parameters:\n    capacity: 4\n"                   \
    "    policy: 0\n- type: nvidia::gxf::MessageAvailableSchedulingTerm\n  parameters:\n    receiver: signal\n    min_size: 2\n"
#define CONNECTION(from, to)                                                                                                       \
    "---\ncomponents:\n- type: nvidia::gxf::Connection\n  parameters:\n    source: " from "\n    target: " to "\n"

TEST(an_application)
{
    struct heard h = hear_well(
        WEIR_EVIDENCE_GXF,
        "%YAML 1.2\n" CONNECTION("tx/signal", "rx/signal") TX("tx")
            RX("rx") "- name: bare\n  type: nvidia::gxf::DoubleBufferReceiver\n" CONNECTION(
                "tx/signal", "rx/bare") "---\nname: clocks\ncomponents:\n- name: clock\n  type: nvidia::gxf::RealtimeClock\n"
                                        "- type: nvidia::gxf::EventBasedScheduler\n  parameters:\n    worker_thread_number: 3\n");
    assert_connections(&h, "tx.signal -> rx.signal; tx.signal -> rx.bare");
    assert_int_equal(h.evidence.operator_count, 2); /* what is not connected is no operator */
    assert_int_equal(h.evidence.port_count, 3);
    const struct weir_evidence_port *p = h.evidence.ports;
    assert_true(p[0].output && !p[0].unconditional && p[0].min_size == 1 && p[0].capacity == 0);
    assert_true(!p[1].output && !p[1].unconditional && p[1].min_size == 2 && p[1].capacity == 4);
    assert_int_equal(p[1].policy, WEIR_POLICY_POP);
    assert_true(!p[2].output && p[2].unconditional && p[2].policy == WEIR_POLICY_UNKNOWN);
    assert_string_equal(p[2].port, "bare");
    assert_int_equal(h.evidence.scheduler_count, 1);
    assert_int_equal(h.evidence.schedulers[0].dispatch, WEIR_DISPATCH_EVENTS);
    assert_int_equal(h.evidence.schedulers[0].workers, 3);
    forget(&h);
}

TEST(schedulers_of_an_application)
{
    static const struct {
        const char *text;
        enum weir_dispatch dispatch;
        uint32_t workers;
        int64_t polling;
    } schedulers[] = {
        {"GreedyScheduler\n  parameters: {clock: clock}\n", WEIR_DISPATCH_GREEDY, 1, WEIR_TIME_UNKNOWN},
        {"MultiThreadScheduler\n", WEIR_DISPATCH_POLLED, 1, WEIR_TIME_UNKNOWN},
        {"MultiThreadScheduler\n  parameters: {worker_thread_number: 4, check_recession_period_ms: 0.25}\n", WEIR_DISPATCH_POLLED,
         4, 250000},
        {"EventBasedScheduler\n  parameters: {worker_thread_number: 7}\n", WEIR_DISPATCH_EVENTS, 7, WEIR_TIME_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof schedulers / sizeof *schedulers; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s%s", TX("tx") RX("rx") CONNECTION("tx/signal", "rx/signal"),
                 "---\ncomponents:\n- type: nvidia::gxf::", schedulers[i].text);
        struct heard h = hear_well(WEIR_EVIDENCE_GXF, text);
        assert_int_equal(h.evidence.scheduler_count, 1);
        assert_int_equal(h.evidence.schedulers[0].dispatch, schedulers[i].dispatch);
        assert_int_equal(h.evidence.schedulers[0].workers, schedulers[i].workers);
        assert_int_equal(h.evidence.schedulers[0].polling, schedulers[i].polling);
        forget(&h);
    }
}

TEST(periods_of_an_application)
{
    static const struct {
        const char *text;
        int64_t period;
        enum weir_arrivals arrivals;
    } periods[] = {
        {"recess_period: 30Hz\n    policy: MinTimeBetweenTicks", 33333333, WEIR_ARRIVALS_AT_MOST},
        {"recess_period: 33ms\n    policy: 1", 33000000, WEIR_ARRIVALS_AT_MOST},
        {"recess_period: 1500\n    policy: 0", 1500, WEIR_ARRIVALS_CATCH_UP},
        {"recess_period: 0.5hz\n    policy: 2", 2000000000, WEIR_ARRIVALS_SKIP},
        {"recess_period: 30Hz", 33333333, WEIR_ARRIVALS_CATCH_UP},
        {"recess_period: 30Hz\n    policy: NoCatchUpMissedTicks", 33333333, WEIR_ARRIVALS_SKIP},
    };
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s    %s\n%s", TX("tx"), "- type: nvidia::gxf::PeriodicSchedulingTerm\n  parameters:\n",
                 periods[i].text, RX("rx") CONNECTION("tx/signal", "rx/signal"));
        struct heard h = hear_well(WEIR_EVIDENCE_GXF, text);
        assert_int_equal(h.evidence.period_count, 1);
        assert_int_equal(h.evidence.periods[0].period, periods[i].period);
        assert_int_equal(h.evidence.periods[0].arrivals, periods[i].arrivals);
        forget(&h);
    }
}

TEST(broadcasts_and_other_terms)
{
    struct heard h =
        hear_well(WEIR_EVIDENCE_GXF,
                  TX("tx") "---\nname: fan\ncomponents:\n- {name: in, type: nvidia::gxf::DoubleBufferReceiver}\n"
                           "- {name: side, type: nvidia::gxf::DoubleBufferReceiver}\n"
                           "- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}\n- {type: nvidia::gxf::Broadcast}\n"
                           "- type: nvidia::gxf::MultiMessageAvailableSchedulingTerm\n  parameters:\n"
                           "    {receivers: [in, fan/side], sampling_mode: PerReceiver, min_sizes: [1, 3]}\n"
                           "- {type: nvidia::gxf::BooleanSchedulingTerm}\n- {type: nvidia::gxf::CountSchedulingTerm}\n" RX("rx")
                               CONNECTION("tx/signal", "fan/in") CONNECTION("fan/out", "rx/signal"));
    uint32_t fan = weir_evidence_find(&h.evidence, "fan", 3);
    assert_true(fan != WEIR_NO_OPERATOR && h.evidence.operators[fan].broadcast);
    assert_false(h.evidence.operators[weir_evidence_find(&h.evidence, "tx", 2)].broadcast);
    assert_int_equal(h.evidence.port_count, 5);
    assert_true(h.evidence.ports[1].min_size == 1 && !h.evidence.ports[1].unconditional);
    assert_true(h.evidence.ports[2].min_size == 3 && !h.evidence.ports[2].unconditional);
    assert_true(h.evidence.ports[3].output && h.evidence.ports[3].unconditional);
    assert_int_equal(weir_errors_count(h.evidence.notes), 1);
    assert_note(
        &h, 0,
        "what the BooleanSchedulingTerm waits for is not in the model: if that takes a limited time, add it to the times of the "
        "operator");
    forget(&h);
}

TEST(what_an_application_has_that_no_model_has)
{
    struct heard h =
        hear_well(WEIR_EVIDENCE_GXF,
                  TX("tx") "- {type: nvidia::gxf::CPUThread, parameters: {pin_entity: true}}\n- {type: nvidia::gxf::CPUThread}\n"
                           "---\nname: rx\ncomponents:\n- {name: signal, type: nvidia::gxf::DoubleBufferReceiver}\n"
                           "- {type: nvidia::gxf::CudaStreamSchedulingTerm, parameters: {receiver: signal}}\n"
                           "- {type: nvidia::gxf::Synchronization}\n" CONNECTION("tx/signal", "rx/signal"));
    assert_false(h.evidence.ports[1].unconditional); /* what waits for the work behind a message waits for the message */
    assert_int_equal(weir_errors_count(h.evidence.notes), 3);
    assert_note(&h, 0, "\"tx\" is pinned to a thread, which the model does not have: give it a \"lane\" there");
    assert_note(&h, 1,
                "what the CudaStreamSchedulingTerm waits for is not in the model: if that takes a limited time, add it to the "
                "times of the operator");
    assert_note(&h, 2,
                "a Synchronization drops messages that have no partner, which is not in the model: bounds hold while all have one");
    forget(&h);
    assert_refused(
        WEIR_EVIDENCE_GXF,
        TX("tx")
            RX("rx") "- {type: nvidia::gxf::OrSchedulingTermCombiner, parameters: {terms: [one, two]}}\n"
                     "- {type: nvidia::gxf::MessageAvailableFrequencyThrottler}\n"
                     "- {type: nvidia::gxf::ExpiringMessageAvailableSchedulingTerm}\n- {type: nvidia::gxf::Gather}\n" CONNECTION(
                         "tx/signal", "rx/signal"),
        "22:3: OrSchedulingTermCombiner lets an operator run as soon as one of several terms is ready, which weir cannot model\n"
        "23:3: MessageAvailableFrequencyThrottler lets an operator run without messages when some time has passed, which weir "
        "cannot "
        "model\n24:3: ExpiringMessageAvailableSchedulingTerm lets an operator take messages when there are enough, or the oldest "
        "has "
        "waited long enough, which weir cannot model\n25:3: Gather sends each of the messages that it takes by itself, several in "
        "one execution, which weir cannot model");
}

TEST(bad_applications)
{
    assert_refused(WEIR_EVIDENCE_GXF, TX("camera") RX("viewer") CONNECTION("camra/signal", "viewer/signal"),
                   "26:13: there is no entity \"camra\"; did you mean \"camera\"?");
    assert_refused(WEIR_EVIDENCE_GXF, TX("tx") RX("rx") CONNECTION("rx/signal", "tx/other"),
                   "26:13: entity \"rx\" has no transmitter \"signal\"\n27:13: entity \"tx\" has no receiver \"other\"");
    assert_refused(WEIR_EVIDENCE_GXF, TX("tx") TX("tx") CONNECTION("tx", "tx/x"),
                   "11:7: entity \"tx\" is given twice; the first is in line 2\n"
                   "17:18: expected \"ENTITY/PORT\", not \"signal\"\n23:13: expected \"ENTITY/PORT\", not \"tx\"\n"
                   "24:13: entity \"tx\" has no receiver \"x\"");
    assert_refused(WEIR_EVIDENCE_GXF,
                   TX("tx") "- name: signal\n  type: x::Receiver\n  parameters: {capacity: 0, policy: 3}\n- [a]\n- {name: b}\n",
                   "10:9: port \"signal\" is given twice; the first is in line 4\n"
                   "12:26: \"capacity\" must be a whole number from 1 on, not \"0\"\n"
                   "12:37: \"policy\" must be 0 (pop), 1 (reject) or 2 (fault)\n13:3: a component must be a mapping, not a list\n"
                   "14:3: a component needs a \"type\"");
    assert_refused(WEIR_EVIDENCE_GXF, TX("tx"), "1:1: this application has no connections (nvidia::gxf::Connection)");
    assert_refused(WEIR_EVIDENCE_GXF,
                   TX("tx") "- {type: a::Broadcast, parameters: {mode: 1}}\n"
                            "- {name: in, type: a::Receiver}\n- {name: on, type: a::Receiver}\n"
                            "- {type: a::MultiMessageAvailableSchedulingTerm, parameters: {receivers: [in, on]}}\n",
                   "10:43: this broadcast feeds its outputs in turn, which weir cannot model\n13:3: this term waits for messages "
                   "at any of its receivers, which weir cannot model (sampling_mode: PerReceiver waits at each)");
    assert_refused(WEIR_EVIDENCE_GXF, "components:\n- type: nvidia::gxf::Subgraph\n- type: a::Connection\n",
                   "2:3: subgraphs in other files are not read: put their entities into this file\n"
                   "3:3: a connection needs a \"source\" and a \"target\"");
}

/* ---- descriptions ---- */

#define DESCRIBED(name, inputs, outputs, conditions)                                                                               \
    "id: -1\nname: " name "\nfragment: \"\"\nargs:\n  []\ntype: kNative\nconditions:\n" conditions                                 \
    "resources:\n  []\nspec:\n  fragment: \"\"\n  params:\n    []\n  inputs:\n" inputs "  outputs:\n" outputs

TEST(described_operators)
{
    struct heard h = hear_well(
        WEIR_EVIDENCE_DESCRIPTION,
        DESCRIBED("tx", "    []\n",
                  "    - name: out\n      io_type: kOutput\n      typeinfo_name: N8holoscan3gxf6EntityE\n"
                  "      connector_type: kDefault\n      conditions:\n        - type: kNone\n"
                  "    - name: fast\n      io_type: kOutput\n      connector_type: kAsyncBuffer\n      conditions:\n        []\n",
                  "  - id: -1\n    name: periodic\n    fragment: \"\"\n    args:\n      - name: recess_period\n        type: "
                  "std::string\n"
                  "        value: 20ms\n      - name: policy\n        type: YAML::Node\n        value: NoCatchUpMissedTicks\n"
                  "    gxf_typename: nvidia::gxf::PeriodicSchedulingTerm\n"
                  "  - id: -1\n    name: count\n    gxf_typename: nvidia::gxf::CountSchedulingTerm\n"
                  "  - id: -1\n    name: go\n    gxf_typename: nvidia::gxf::BooleanSchedulingTerm\n")
            DESCRIBED(
                "rx",
                "    - name: in\n      io_type: kInput\n      connector_type: kDoubleBuffer\n      connector:\n        id: -1\n"
                "        name: receiver\n        args:\n          - name: capacity\n            type: int32_t\n            value: "
                "6\n"
                "          - name: policy\n            type: int32_t\n            value: 1\n"
                "        gxf_typename: nvidia::gxf::DoubleBufferReceiver\n      conditions:\n"
                "        - id: -1\n          name: available\n          args:\n            - name: min_size\n              type: "
                "uint64_t\n"
                "              value: 5\n          type: kMessageAvailable\n",
                "    []\n",
                "  - id: -1\n    name: periodic\n    args:\n      []\n"
                "    gxf_typename: nvidia::gxf::PeriodicSchedulingTerm\n"));
    const struct weir_evidence_port *p = h.evidence.ports;
    assert_int_equal(h.evidence.operator_count, 2);
    assert_int_equal(h.evidence.connection_count, 0);
    assert_int_equal(h.evidence.port_count, 3);
    assert_string_equal(name_of(&h, p[0].op), "tx");
    assert_true(p[0].output && p[0].unconditional && !p[0].latest && !p[0].capacity);
    assert_true(p[1].output && !p[1].unconditional && p[1].latest);
    assert_string_equal(name_of(&h, p[2].op), "rx");
    assert_string_equal(p[2].port, "in");
    assert_true(!p[2].output && !p[2].unconditional && p[2].capacity == 6 && p[2].min_size == 5);
    assert_int_equal(p[2].policy, WEIR_POLICY_REJECT);
    assert_int_equal(h.evidence.period_count, 1);
    assert_int_equal(h.evidence.periods[0].period, 20000000);
    assert_int_equal(h.evidence.periods[0].arrivals, WEIR_ARRIVALS_SKIP);
    assert_int_equal(weir_errors_count(h.evidence.notes), 2);
    assert_note(&h, 0, "\"tx\" has the condition \"BooleanSchedulingTerm\", which is not in the model");
    assert_note(&h, 1, "its period is not described");
    forget(&h);
}

TEST(bad_descriptions)
{
    assert_refused(WEIR_EVIDENCE_DESCRIPTION, "name: \nresources: []\nspec: ~\n",
                   "1:1: expected the description of an operator, with a \"name\"");
    assert_refused(WEIR_EVIDENCE_DESCRIPTION,
                   DESCRIBED("a",
                             "    - name: in\n      connector:\n        args:\n          - {name: capacity, value: many}\n"
                             "          - {name: policy, value: 3}\n",
                             "    []\n",
                             "  - gxf_typename: nvidia::gxf::PeriodicSchedulingTerm\n"
                             "    args: [{name: recess_period, value: often}, {name: policy, value: Never}]\n"),
                   "9:41: \"recess_period\" must be a time or a rate such as 33ms or 30Hz, not \"often\"\n"
                   "9:71: \"policy\" must be CatchUpMissedTicks, MinTimeBetweenTicks or NoCatchUpMissedTicks, not \"Never\"\n"
                   "20:37: \"capacity\" must be a whole number from 1 on, not \"many\"\n"
                   "21:35: \"policy\" must be 0 (pop), 1 (reject) or 2 (fault)");
}

TEST(described_conditions_that_no_model_has)
{
    assert_refused(
        WEIR_EVIDENCE_DESCRIPTION,
        "name: rx\nconditions:\n- {name: sum, gxf_typename: nvidia::gxf::MultiMessageAvailableSchedulingTerm}\n"
        "- {name: each, gxf_typename: nvidia::gxf::MultiMessageAvailableSchedulingTerm,\n"
        "   args: [{name: sampling_mode, value: PerReceiver}]}\n"
        "- {name: late, gxf_typename: nvidia::gxf::MessageAvailableFrequencyThrottler}\nresources:\n"
        "- {name: or, gxf_typename: nvidia::gxf::OrSchedulingTermCombiner}\n- pool\nspec:\n"
        "  inputs: [{name: in, conditions: [{type: kExpiringMessageAvailable}]}]\n",
        "3:3: \"rx\": MultiMessageAvailableSchedulingTerm lets an operator run when messages are at any of several ports, "
        "which weir cannot model\n6:3: \"rx\": MessageAvailableFrequencyThrottler lets an operator run without messages "
        "when some time has passed, which weir cannot model\n8:3: \"rx\": OrSchedulingTermCombiner lets an operator run "
        "as soon as one of several terms is ready, which weir cannot model\n11:36: \"rx\": kExpiringMessageAvailable lets "
        "an operator take messages when there are enough, or the oldest has waited long enough, which weir cannot model");
}

TEST(short_of_memory)
{
    refuse_each(WEIR_EVIDENCE_GXF, TX("tx") RX("rx") CONNECTION("tx/signal", "rx/signal"));
    refuse_each(WEIR_EVIDENCE_DESCRIPTION, DESCRIBED("a", "    - name: in\n", "    []\n", "  []\n"));
    refuse_each(WEIR_EVIDENCE_DESCRIPTION, "name: a\nfragment: f\nresources: []\nspec: ~\nconditions: [{name: x}]\n");
}
