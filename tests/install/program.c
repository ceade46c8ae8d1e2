#include <grouser/grouser.h>
#include <stdio.h>

int main(void)
{
    GrRoverDef rover = gr_default_rover_def();
    GrBodyDef chassis = {.name = "chassis", .mass = 3, .inertia = gr_inertia_sphere(3, 0.2)};
    gr_rover_add_body(&rover, &chassis);
    GrErrorLog log = {0};
    const GrOptions options = gr_default_options();
    GrModel *model = NULL;
    gr_model_create(&rover, &options, &model, &log);
    printf("%d degrees of freedom, %d errors\n", model != NULL ? gr_model_dof_count(model) : 0, log.error_count);
    gr_model_free(model);
    GrRoverDef shipped; // by name: from the data beside the library
    gr_rover_load("curiosity_like", NULL, &shipped, &log);
    for (int i = 0; i < log.error_count && i < GR_ERROR_LOG_CAPACITY; i++) {
        printf("%s\n", log.items[i].text);
    }
    gr_rover_free(&shipped);
    gr_rover_free(&rover);
    return log.error_count;
}
