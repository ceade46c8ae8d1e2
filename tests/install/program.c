#include <grouser/grouser.h>
#include <stdio.h>

int main(void)
{
    GrRoverDef rover = gr_default_rover_def();
    GrBodyDef chassis = {.name = "chassis", .mass = 3, .inertia = gr_inertia_sphere(3, 0.2)};
    gr_rover_add_body(&rover, &chassis);
    GrErrorLog log = {0};
    const GrOptions options = gr_default_options();
    GrModel *model = gr_model_create(&rover, &options, &log);
    printf("%d degrees of freedom, %d errors\n", model != NULL ? gr_model_dof_count(model) : 0, log.error_count);
    gr_model_free(model);
    gr_rover_free(&rover);
    return log.error_count;
}
