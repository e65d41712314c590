/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The eight HoloHub applications that the Holoscan papers evaluate, in the order of their tables. The worst cases are those that
 * were published with the evaluation: random draws, not measurements. tests/unit/generate compares them with examples/.
 */
#include "generate/generate.h"

#define WORST_MIN 100
#define WORST_MAX 1000

enum { OPERATORS_MAX = 9, QUEUES_MAX = 11 };

/* Operators and queues end with the first that is all zero; no queue leads into the source, operator 0. */
struct application {
    const char *name, *title;
    struct {
        const char *name;
        int64_t worst;
    } operators[OPERATORS_MAX + 1];
    struct {
        uint8_t from, to;
    } queues[QUEUES_MAX + 1];
};

static const struct application applications[] = {
    {"body-pose-estimation",
     "Body Pose Estimation",
     {{"replayer_source", 810},
      {"preprocessor", 544},
      {"transpose", 669},
      {"inference", 489},
      {"postprocessor", 340},
      {"holoviz", 932}},
     {{0, 1}, {0, 5}, {1, 2}, {2, 3}, {3, 4}, {4, 5}}},
    {"endoscopy-out-of-body",
     "Endoscopy Out-of-Body Detection",
     {{"video_replayer", 590},
      {"out_of_body_preprocessor", 577},
      {"out_of_body_inference", 964},
      {"out_of_body_postprocessor", 132}},
     {{0, 1}, {1, 2}, {2, 3}}},
    {"endoscopy-depth-estimation",
     "Endoscopy Depth Estimation",
     {{"replayer", 885}, {"preprocessor", 872}, {"inference", 829}, {"postprocessor", 931}, {"holoviz", 148}},
     {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {1, 3}}},
    {"colonoscopy-segmentation",
     "Colonoscopy Segmentation",
     {{"replayer", 900},
      {"segmentation_preprocessor", 467},
      {"segmentation_inference_holoinfer", 656},
      {"segmentation_postprocessor", 336},
      {"segmentation_visualizer", 221}},
     {{0, 1}, {0, 4}, {1, 2}, {2, 3}, {3, 4}}},
    {"multi-ai-endoscopy",
     "Multi AI Endoscopy",
     {{"replayer", 564},
      {"detection_preprocessor", 706},
      {"multi_ai_inference", 391},
      {"detection_postprocessor", 885},
      {"segmentation_postprocessor", 120},
      {"segmentation_preprocessor", 786},
      {"holoviz", 139}},
     {{0, 1}, {1, 2}, {2, 3}, {2, 4}, {3, 6}, {4, 6}, {0, 5}, {5, 2}, {0, 6}}},
    {"endoscopy-depth-clahe",
     "Endoscopy Depth Estimation with CLAHE",
     {{"replayer", 842},
      {"viz_preprocessor", 118},
      {"postprocessor", 635},
      {"clahe", 927},
      {"preprocessor", 735},
      {"inference", 551},
      {"holoviz", 129}},
     {{0, 1}, {1, 2}, {2, 6}, {0, 3}, {3, 4}, {4, 5}, {5, 2}}},
    {"multi-ai-surgical-ar",
     "Multi AI Surgical AR",
     {{"source", 658},
      {"format_converter_anonymization", 629},
      {"anonymization_preprocessor", 307},
      {"multi_ai_inference", 624},
      {"segmentation_postprocessor", 902},
      {"format_converter", 409},
      {"segmentation_preprocessor", 543},
      {"orsi_visualizer", 327}},
     {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 7}, {0, 5}, {5, 6}, {6, 3}, {3, 7}, {0, 7}}},
    {"multi-ai-ultrasound",
     "Multi AI Ultrasound",
     {{"replayer", 109},
      {"plax_cham_pre", 458},
      {"aortic_ste_pre", 880},
      {"b_mode_pers_pre", 265},
      {"multiai_inference", 797},
      {"multiai_postprocessor", 791},
      {"visualizer_icardio", 350},
      {"plax_cham_resized", 682},
      {"holoviz", 331}},
     {{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}, {3, 4}, {4, 5}, {5, 6}, {6, 8}, {0, 7}, {7, 8}}},
};
enum { APPLICATION_COUNT = sizeof applications / sizeof *applications };

size_t weir_application_count(void)
{
    return APPLICATION_COUNT;
}

const char *weir_application_name(size_t index)
{
    return index < APPLICATION_COUNT ? applications[index].name : NULL;
}

static enum weir_status fill(struct weir_pipeline *pipeline, const struct application *application,
                             const struct weir_application_options *options, struct weir_error *error)
{
    struct weir_random random;
    weir_random_seed(&random, options->seed);
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; application->operators[i].name && !status; i++) {
        int64_t worst = application->operators[i].worst;
        if (options->random_times)
            worst = weir_random_between(&random, WORST_MIN, WORST_MAX);
        struct weir_operator_spec spec = {
            .name = application->operators[i].name, .best = worst * options->best_permille / 1000, .worst = worst};
        status = weir_pipeline_add_operator(pipeline, &spec, NULL, error);
    }
    for (size_t i = 0; application->queues[i].to && !status; i++) {
        struct weir_queue_spec spec = {.from = {application->queues[i].from},
                                       .to = {application->queues[i].to},
                                       .capacity = options->queue ? options->queue : 1};
        status = weir_pipeline_add_queue(pipeline, &spec, NULL, error);
    }
    return status;
}

enum weir_status weir_generate_application(const char *name, const struct weir_application_options *options,
                                           struct weir_pipeline **pipeline, struct weir_error *error)
{
    static const struct weir_application_options defaults = {0};
    const struct weir_application_options *chosen = options ? options : &defaults;
    *pipeline = NULL;
    if (chosen->best_permille > 1000)
        return weir_fail(error, WEIR_INVALID, "the best-case ratio must be at most 1000 permille");
    size_t index = weir_generate_find("application", name, weir_application_name, APPLICATION_COUNT, error);
    if (index == APPLICATION_COUNT)
        return WEIR_INVALID;
    struct weir_generate_head head = {.name = applications[index].title, .unit = WEIR_UNIT_US};
    struct weir_pipeline *made;
    enum weir_status status = weir_generate_begin(&head, &made, error);
    return weir_generate_end(made, status ? status : fill(made, &applications[index], chosen, error), pipeline, error);
}
