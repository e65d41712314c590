// SPDX-License-Identifier: Apache-2.0
//
// Records a Holoscan application in C++ (SDK 2.x to 4.x), for `weir convert --from FOLDER`: in the place of app->run() write
//
//     #include <holoscan/holoscan.hpp>
//     #include <weir_holoscan.hpp>
//     ...
//     weir::record(app);
//
// and start the program with `weir-holoscan record -- ./app`. Without that it only runs. What is recorded is what weir-holoscan
// records of an application in Python; where something cannot be, that is said on stderr, and the application runs.
#ifndef WEIR_HOLOSCAN_HPP
#define WEIR_HOLOSCAN_HPP

#include <any>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace weir
{
namespace recording
{

template <typename Function> void attempt(const char *what, Function &&function)
{
    try {
        function();
    } catch (const std::exception &error) {
        std::cerr << "weir-holoscan: " << what << ": " << error.what() << std::endl;
    }
}

inline void write(const std::filesystem::path &folder, const char *name, const std::string &text)
{
    std::filesystem::create_directories(folder);
    std::ofstream file(folder / name);
    file << text << '\n';
    if (!file.flush())
        throw std::runtime_error(std::string("cannot write ") + name);
}

// In the double quotes of YAML.
inline std::string quote(const std::string &text)
{
    std::string quoted = "\"";
    for (char c : text)
        quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return quoted + "\"";
}

// What not every version of the SDK has: the overload with an int is taken where it compiles.

template <typename Graph> auto port_map(Graph &graph, int) -> decltype(graph.port_map_description())
{
    return graph.port_map_description();
}
template <typename Graph> std::string port_map(Graph &, long)
{
    throw std::runtime_error("this version of Holoscan has none");
}

template <typename App> auto track_fragments(App &app, int) -> decltype(app.track_distributed(0, 0))
{
    return app.track_distributed(0, 0);
}
template <typename App> std::vector<std::pair<std::string, holoscan::DataFlowTracker *>> track_fragments(App &, long)
{
    throw std::runtime_error("this version of Holoscan tracks no fragments");
}

template <typename Condition> auto policy_of(Condition &condition, int) -> decltype(static_cast<int>(condition.policy()))
{
    return static_cast<int>(condition.policy());
}
template <typename Condition> int policy_of(Condition &, long)
{
    return 0;
}

// Of a scheduler that polls. The getter leaves out what is less than a millisecond, so the argument counts; where it cannot be
// read, a millisecond more is safe.
template <typename Scheduler> double polling_of(Scheduler &scheduler)
{
    double polling = static_cast<double>(scheduler.check_recession_period_ms());
    for (auto &arg : scheduler.args()) {
        if (arg.name() != "check_recession_period_ms")
            continue;
        const auto *real = std::any_cast<double>(&arg.value());
        polling = real ? *real : static_cast<double>(scheduler.check_recession_period_ms() + 1);
    }
    return polling;
}

inline std::string schedule(const std::shared_ptr<holoscan::Scheduler> &scheduler)
{
    const std::string text = "name: scheduler\ncomponents:\n  - type: nvidia::gxf::";
    const std::string workers = "\n    parameters:\n      worker_thread_number: ";
    if (std::dynamic_pointer_cast<holoscan::GreedyScheduler>(scheduler))
        return text + "GreedyScheduler";
    if (auto events = std::dynamic_pointer_cast<holoscan::EventBasedScheduler>(scheduler))
        return text + "EventBasedScheduler" + workers + std::to_string(events->worker_thread_number());
    if (auto polled = std::dynamic_pointer_cast<holoscan::MultiThreadScheduler>(scheduler))
        return text + "MultiThreadScheduler" + workers + std::to_string(polled->worker_thread_number()) +
               "\n      check_recession_period_ms: " + std::to_string(polling_of(*polled));
    throw std::runtime_error("it is none of Holoscan's");
}

// Descriptions have no periods.
template <typename Operator> std::string periods(Operator &op, const std::string &fragment)
{
    static const char *const policies[] = {"CatchUpMissedTicks", "MinTimeBetweenTicks", "NoCatchUpMissedTicks"};
    std::string text;
    for (auto &named : op.conditions())
        if (auto periodic = std::dynamic_pointer_cast<holoscan::PeriodicCondition>(named.second))
            text += "id: -1\nname: " + quote(op.name()) + "\nfragment: " + quote(fragment) +
                    "\nconditions:\n  - gxf_typename: nvidia::gxf::PeriodicSchedulingTerm\n    args:\n      - {name: "
                    "recess_period, value: " +
                    std::to_string(periodic->recess_period_ns()) +
                    "}\n      - {name: policy, value: " + policies[policy_of(*periodic, 0)] + "}\nresources: []\nspec: ~\n";
    return text;
}

// Without the name of the application, which some versions leave out in port maps: this way the operators are in order.
inline std::string without_fragment(std::string text)
{
    const std::size_t begin = text.find("\nfragment:");
    const std::size_t end = begin == std::string::npos ? begin : text.find('\n', begin + 1);
    return begin == std::string::npos ? text : text.replace(begin, end - begin, "\nfragment: \"\"");
}

// Before the run they have what was set; behind it also what follows from that, such as batches. `name`: "" is the application.
template <typename Operators>
void describe(const std::filesystem::path &folder, const std::string &name, Operators &operators, bool has_run)
{
    std::string text;
    for (auto &op : operators)
        text += has_run ? periods(*op, name) : "";
    for (auto &op : operators)
        text += (name.empty() ? without_fragment(op->description()) : op->description()) + "\n";
    write(folder, "descriptions.yaml", text);
}

} // namespace recording

// In the place of app->run(). `app` is what holoscan::make_application returned.
template <typename App> void record(const std::shared_ptr<App> &app)
{
    using namespace recording;
    const char *const wanted = std::getenv("WEIR_HOLOSCAN_FOLDER");
    const std::filesystem::path folder = wanted ? wanted : "";
    const bool again = wanted && std::filesystem::exists(folder / ".recorded"); // the first run is recorded, and its log stays
    if (again && app->data_flow_tracker())
        app->data_flow_tracker()->enable_logging("/dev/null");
    if (!wanted || again) {
        app->run();
        return;
    }
    struct Fragment {
        holoscan::Fragment *fragment;
        std::string name; // "" where it is the application
        decltype(app->graph().get_nodes()) operators;
    };
    std::vector<Fragment> fragments;
    std::vector<holoscan::DataFlowTracker *> trackers;
    bool alone = true;
    attempt("cannot record", [&] {
        write(folder, ".recorded", "");
        app->compose_graph();
        for (auto &fragment : app->fragment_graph().get_nodes()) {
            fragment->compose_graph();
            fragments.push_back({fragment.get(), fragment->name(), fragment->graph().get_nodes()});
        }
        alone = fragments.empty();
        if (alone)
            fragments.push_back({app.get(), "", app->graph().get_nodes()});
        else
            attempt("no connections of fragments", [&] { write(folder, "portmap.yaml", port_map(app->fragment_graph(), 0)); });
        for (auto &f : fragments) {
            attempt("no port map", [&] { write(folder / f.name, "portmap.yaml", port_map(f.fragment->graph(), 0)); });
            attempt("no descriptions", [&] { describe(folder / f.name, f.name, f.operators, false); });
        }
    });
    attempt("no data flow tracking", [&] {
        if (alone) {
            trackers.push_back(&app->track(0, 0));
            trackers.back()->enable_logging((folder / "flow.log").string());
            return;
        }
        for (auto &named : track_fragments(*app, 0)) {
            trackers.push_back(named.second);
            trackers.back()->enable_logging((folder / ("flow-" + named.first + ".log")).string());
        }
    });
    const auto finish = [&] {
        for (auto *tracker : trackers)
            attempt("the log may lack its end", [&] { tracker->end_logging(); });
        for (auto &f : fragments) {
            attempt("no descriptions of what has run", [&] { describe(folder / f.name, f.name, f.operators, true); });
            attempt("no scheduler", [&] { write(folder / f.name, "scheduler.yaml", schedule(f.fragment->scheduler())); });
        }
    };
    try {
        app->run();
    } catch (...) {
        finish();
        throw;
    }
    finish();
}

} // namespace weir

#endif
