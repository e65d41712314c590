// SPDX-License-Identifier: Apache-2.0
// A stand-in for the Holoscan SDK in C++: as much of its interface as weir_holoscan.hpp meets, and no more.
#pragma once
#include <any>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace holoscan
{

class Arg
{
  public:
    Arg(std::string name, std::any value) : name_(std::move(name)), value_(std::move(value))
    {
    }
    const std::string &name() const
    {
        return name_;
    }
    std::any &value()
    {
        return value_;
    }

  private:
    std::string name_;
    std::any value_;
};

class Scheduler
{
  public:
    virtual ~Scheduler() = default;
    std::vector<Arg> &args()
    {
        return args_;
    }

  private:
    std::vector<Arg> args_;
};
class GreedyScheduler : public Scheduler
{
};
class MultiThreadScheduler : public Scheduler
{
  public:
    std::int64_t worker_thread_number() const
    {
        return 3;
    }
    std::int64_t check_recession_period_ms() const
    {
        return 0;
    } // of 0.5: as the SDK has it
};
class EventBasedScheduler : public Scheduler
{
  public:
    std::int64_t worker_thread_number() const
    {
        return 2;
    }
};

class Condition
{
  public:
    virtual ~Condition() = default;
};
enum class PeriodicConditionPolicy { kCatchUpMissedTicks, kMinTimeBetweenTicks, kNoCatchUpMissedTicks };
class PeriodicCondition : public Condition
{
  public:
    std::int64_t recess_period_ns()
    {
        return 40000000;
    }
    PeriodicConditionPolicy policy() const
    {
        return PeriodicConditionPolicy::kNoCatchUpMissedTicks;
    }
};

class Operator
{
  public:
    explicit Operator(std::string name) : name_(std::move(name))
    {
    }
    const std::string &name() const
    {
        return name_;
    }
    std::unordered_map<std::string, std::shared_ptr<Condition>> &conditions()
    {
        return conditions_;
    }
    std::string description() const
    {
        return "id: -1\nname: " + name_ +
               "\nfragment: \"\"\nconditions:\n  []\nresources:\n  []\nspec:\n  inputs:\n    []\n  outputs:\n    []";
    }

  private:
    std::string name_;
    std::unordered_map<std::string, std::shared_ptr<Condition>> conditions_;
};

class DataFlowTracker
{
  public:
    void enable_logging(std::string filename = "logger.log", std::uint64_t = 100)
    {
        log_ = std::move(filename);
    }
    void end_logging()
    {
        file_.close();
    }
    void write(const std::string &text)
    {
        if (!file_.is_open())
            file_.open(log_);
        file_ << ++count_ << ":\n" << text << "\n\n";
    }

  private:
    std::string log_;
    std::ofstream file_;
    int count_ = 0;
};

template <typename Node> class FlowGraph
{
  public:
    std::vector<std::shared_ptr<Node>> nodes;
    std::string map;
    std::vector<std::shared_ptr<Node>> get_nodes() const
    {
        return nodes;
    }
    std::string port_map_description() const
    {
        return map;
    }
};

class Fragment
{
  public:
    virtual ~Fragment() = default;
    const std::string &name() const
    {
        return name_;
    }
    FlowGraph<Operator> &graph()
    {
        return graph_;
    }
    std::shared_ptr<Scheduler> scheduler()
    {
        return scheduler_;
    }
    void scheduler(const std::shared_ptr<Scheduler> &scheduler)
    {
        scheduler_ = scheduler;
    }
    DataFlowTracker &track(std::uint64_t = 10, std::uint64_t = 10, int = 0, bool = false)
    {
        tracker_ = tracker_ ? tracker_ : std::make_shared<DataFlowTracker>();
        return *tracker_;
    }
    DataFlowTracker *data_flow_tracker()
    {
        return tracker_.get();
    }
    virtual void compose()
    {
    }
    virtual void compose_graph()
    {
        if (!composed_)
            compose();
        composed_ = true;
    }
    virtual void run() = 0;

  private:
    bool composed_ = false;
    std::string name_;
    FlowGraph<Operator> graph_;
    std::shared_ptr<Scheduler> scheduler_ = std::make_shared<GreedyScheduler>();
    std::shared_ptr<DataFlowTracker> tracker_;
};

class Application : public Fragment
{
  public:
    FlowGraph<Fragment> &fragment_graph()
    {
        return fragments_;
    }
    std::unordered_map<std::string, DataFlowTracker *> track_distributed(std::uint64_t = 10, std::uint64_t = 10, int = 0,
                                                                         bool = false)
    {
        return {};
    }

  private:
    FlowGraph<Fragment> fragments_;
};

} // namespace holoscan
