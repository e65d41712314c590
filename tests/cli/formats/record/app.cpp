// SPDX-License-Identifier: Apache-2.0
// An application of the stand-in in C++.
#include <holoscan/holoscan.hpp>
#include <weir_holoscan.hpp>

#include <iostream>

class App : public holoscan::Application
{
  public:
    void compose() override
    {
        auto camera = std::make_shared<holoscan::Operator>("camera");
        camera->conditions()["periodic"] = std::make_shared<holoscan::PeriodicCondition>();
        graph().nodes = {camera, std::make_shared<holoscan::Operator>("infer")};
        graph().map = "input_to_output:\n  infer.in:\n    - camera.out\noutput_to_input:\n  camera.out:\n    - infer.in";
        auto polled = std::make_shared<holoscan::MultiThreadScheduler>();
        if (std::getenv("POLLING"))
            polled->args().emplace_back("check_recession_period_ms", 0.5);
        if (std::getenv("POLLING") || std::getenv("TEXT"))
            scheduler(polled);
        else
            scheduler(std::make_shared<holoscan::EventBasedScheduler>());
        if (std::getenv("TEXT")) // as from a configuration file
            polled->args().emplace_back("check_recession_period_ms", std::string("0.5"));
    }
    void run() override
    {
        compose_graph();
        for (int i = 0; i < 3 && data_flow_tracker(); i++)
            data_flow_tracker()->write("(camera,1000,3000) -> (infer,3000,12000) ");
        std::cout << "the application has run\n";
    }
};

int main()
{
    auto app = std::make_shared<App>();
    weir::record(app);
    if (std::getenv("TWICE"))
        weir::record(app);
    return 7;
}
