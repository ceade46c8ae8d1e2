#include "plot_data.h"

static void put_text(GrBuffer *svg, const char *attribute, const char *text)
{
    if (text != NULL && text[0] != '\0') {
        gr_buffer_printf(svg, " %s=\"", attribute);
        gr_buffer_xml(svg, text);
        gr_buffer_puts(svg, "\"");
    }
}

void gr_plot_data_begin(GrBuffer *svg, const GrPlotData *data)
{
    enum { DECIMALS = 2 }; // of drawn coordinates
    const double rectangle[] = {data->left, data->top, data->width, data->height};
    const double ranges[] = {data->x[0], data->x[1], data->y[0], data->y[1]};
    gr_buffer_puts(svg, "<g data-plot=\"");
    for (int i = 0; i < 4; i++) {
        gr_buffer_fixed(svg, rectangle[i], DECIMALS);
        gr_buffer_puts(svg, " ");
    }
    for (int i = 0; i < 4; i++) {
        gr_buffer_number(svg, ranges[i]);
        gr_buffer_puts(svg, i < 3 ? " " : "\"");
    }
    put_text(svg, "data-x", data->x_label);
    put_text(svg, "data-y", data->y_label);
    put_text(svg, "data-title", data->title);
    gr_buffer_puts(svg, ">\n");
}

void gr_plot_data_ticks(GrBuffer *svg)
{
    gr_buffer_puts(svg, "<g data-ticks=\"x\">\n");
}

void gr_plot_data_series(GrBuffer *svg, const char *name, const char *color)
{
    gr_buffer_puts(svg, "<g data-series=\"");
    gr_buffer_xml(svg, name != NULL ? name : "");
    gr_buffer_printf(svg, "\" data-color=\"%s\">\n", color);
}
