/// What a raster may reach: hostile maps are refused before a byte of another file is read and before a name is looked
/// up in the network; honest ones that name files in their own folder work.
#include "file.h"
#include "grouser/hooks.h"
#include "raster.h"
#include "test.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

static const char GRID[] = "ncols 4\nnrows 3\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2 3 4\n5 6 7 8\n9 10 11 12\n";

#define VRT_HEAD "<VRTDataset rasterXSize=\"4\" rasterYSize=\"3\"><GeoTransform>0,1,0,3,0,-1</GeoTransform>"
#define VRT_BAND(subclass, inside)                                                                                     \
    VRT_HEAD "<VRTRasterBand dataType=\"Byte\" band=\"1\"" subclass ">" inside "</VRTRasterBand></VRTDataset>"
#define SOURCE(relative, name)                                                                                         \
    "<SimpleSource><SourceFilename relativeToVRT=\"" relative "\">" name                                               \
    "</SourceFilename><SourceBand>1</SourceBand></SimpleSource>"
#define RAW(tag, name) VRT_BAND(" subClass=\"" tag "\"", "<SourceFilename>" name "</SourceFilename>")
#define WMS                                                                                                            \
    "<GDAL_WMS><Service name=\"TMS\"><ServerUrl>http://127.0.0.1:%d/${z}</ServerUrl></Service><DataWindow>"            \
    "<UpperLeftX>0</UpperLeftX><UpperLeftY>1</UpperLeftY><LowerRightX>1</LowerRightX><LowerRightY>0</LowerRightY>"     \
    "<TileLevel>1</TileLevel><TileCountX>1</TileCountX><TileCountY>1</TileCountY></DataWindow>"                        \
    "<BlockSizeX>64</BlockSizeX><BlockSizeY>64</BlockSizeY><BandsCount>1</BandsCount></GDAL_WMS>"

static void put(const char *path, const char *text)
{
    assert_int_equal(gr_file_write(path, text, strlen(text), NULL), GR_OK);
}

/// Opens a raster and reads all of it.
static GrStatus try_raster(const char *path, GrErrorLog *log)
{
    GrRaster raster;
    double heights[12];
    const GrRasterOptions options = gr_default_raster_options();
    GrStatus status = gr_raster_open(path, &options, &raster, log);
    if (status == GR_OK) {
        status = raster.source.read(raster.source.context, (GrGridWindow){0, 0, 4, 3}, heights, log);
        gr_raster_close(&raster);
    }
    return status;
}

static void assert_refused(const char *path, const char *why)
{
    GrErrorLog log = {0};
    assert_int_not_equal(try_raster(path, &log), GR_OK);
    assert_int_equal(log.count, 1);
    if (strstr(log.items[0].text, why) == NULL) {
        print_error("%s: '%s' is not in: %s\n", path, why, log.items[0].text);
        fail();
    }
}

static int set_up(void **state)
{
    (void)state;
    gr_folder_make("maps/below", NULL);
    put("maps/grid.asc", GRID);
    put("maps/below/grid.asc", GRID);
    put("outside.asc", GRID);
    put("secret.bin", "0123456789abcdef");
    return 0;
}

static void test_ordinary_maps_open(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"grid.asc", "below/grid.asc", "inner.vrt"};
    put("maps/inner.vrt", VRT_BAND("", SOURCE("1", "below/grid.asc")));
    for (int i = 0; i < 3; i++) {
        GrErrorLog log = {0};
        char text[1024];
        snprintf(text, sizeof text, VRT_BAND("", SOURCE("1", "%s")), NAMES[i]);
        put("maps/good.vrt", text);
        assert_int_equal(try_raster("maps/good.vrt", &log), GR_OK);
        assert_int_equal(log.error_count, 0);
    }
    // A link to a map elsewhere is a map of the user's choice.
    assert_int_equal(symlink("../outside.asc", "maps/link.asc"), 0);
    assert_int_equal(try_raster("maps/link.asc", NULL), GR_OK);
}

static void test_vrt(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } CASES[] = {
        {RAW("VRTRawRasterBand", "secret.bin"), "takes the bytes of any file"},
        {RAW("vrtrawRASTERband", "/etc/passwd"), "takes the bytes of any file"},
        {VRT_BAND("", SOURCE("1", "../outside.asc")), "outside its folder, '../outside.asc'"},
        {VRT_BAND("", SOURCE("0", "outside.asc")), "outside its folder, 'outside.asc'"},
        {VRT_BAND("", SOURCE("1", "link.asc")), "outside its folder, 'link.asc'"},
        {VRT_BAND("", SOURCE("0", "/etc/passwd")), "outside its folder, '/etc/passwd'"},
        {VRT_BAND("", SOURCE("0", "/vsicurl/http://127.0.0.1:9/a.tif")), "it names '/vsicurl/"},
        {VRT_BAND("", SOURCE("0", "http://127.0.0.1:9/a.tif")), "it names 'http:"},
        {VRT_BAND("", SOURCE("0", "&lt;GDAL_WMS/&gt;")), "it names '<GDAL_WMS"},
        {VRT_BAND("", SOURCE("1", "evil.vrt")), "too often"},
        {VRT_BAND("", SOURCE("1", "raw.vrt")), "takes the bytes of any file"},
        {VRT_BAND(" subClass=\"VRTDerivedRasterBand\"", "<PixelFunctionLanguage>Python</PixelFunctionLanguage>"),
         "a program in 'Python'"},
        {"<VRTDataset", "not well-formed XML"},
    };
    put("maps/raw.vrt", RAW("VRTRawRasterBand", "secret.bin"));
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        put("maps/evil.vrt", CASES[i].text);
        assert_refused("maps/evil.vrt", CASES[i].why);
        put("maps/evil.tif", CASES[i].text); // GDAL looks at the contents, not at the name
        if (strstr(CASES[i].why, "too often") == NULL) {
            assert_refused("maps/evil.tif", CASES[i].why);
        }
    }
}

/// Side files are opened by GDAL on its own.
static void test_side_files(void **state)
{
    (void)state;
    static const char *const SIDES[] = {"maps/side.asc.ovr", "maps/side.asc.msk", "maps/side.asc.aux.xml"};
    put("maps/side.asc", GRID);
    for (int i = 0; i < 3; i++) {
        put(SIDES[i], RAW("VRTRawRasterBand", "/etc/passwd"));
        assert_refused("maps/side.asc", "takes the bytes of any file");
        unlink(SIDES[i]);
    }
    put(SIDES[2], "<PAMDataset><Metadata domain=\"OVERVIEWS\"><MDI key=\"OVERVIEW_FILE\">/vsicurl/http://h/o.ovr</MDI>"
                  "</Metadata></PAMDataset>");
    assert_refused("maps/side.asc", "it names '/vsicurl/");
    unlink(SIDES[2]);
    assert_int_equal(try_raster("maps/side.asc", NULL), GR_OK);
}

/// The label of a product may point to any file.
static void test_label(void **state)
{
    (void)state;
    put("maps/label.lbl", "PDS_VERSION_ID = PDS3\r\nRECORD_TYPE = FIXED_LENGTH\r\nRECORD_BYTES = 4\r\n"
                          "^IMAGE = \"../secret.bin\"\r\nOBJECT = IMAGE\r\n LINES = 3\r\n LINE_SAMPLES = 4\r\n"
                          " SAMPLE_TYPE = UNSIGNED_INTEGER\r\n SAMPLE_BITS = 8\r\nEND_OBJECT = IMAGE\r\nEND\r\n");
    assert_refused("maps/label.lbl", "outside its folder");
}

/// No connection is made: a server on this machine hears nothing.
static void test_network(void **state)
{
    (void)state;
    const int server = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    assert_int_equal(bind(server, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(server, 4), 0);
    assert_int_equal(getsockname(server, (struct sockaddr *)&address, &size), 0);
    const int port = ntohs(address.sin_port);
    char text[2048];
    snprintf(text, sizeof text, WMS, port);
    put("maps/wms.tif", text);
    assert_refused("maps/wms.tif", "not a raster that can be read");
    static const char *const FORMS[] = {"/vsicurl/http://127.0.0.1:%d/a.tif",
                                        "/vsicurl_streaming/http://127.0.0.1:%d/a",
                                        "/vsizip//vsicurl/http://127.0.0.1:%d/a.zip/a.tif"};
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, FORMS[i], port);
        assert_refused(text, "is not a local file; 'grouser --allow-network");
    }
    assert_int_equal(accept(server, NULL, NULL), -1);
    close(server);
}

/// Those who want it get all of GDAL.
static void test_allowed(void **state)
{
    (void)state;
    gr_set_hooks(&(GrHooks){.network = true});
    put("maps/evil.vrt", VRT_BAND("", SOURCE("1", "../outside.asc")));
    assert_int_equal(try_raster("maps/evil.vrt", NULL), GR_OK);
    gr_set_hooks(NULL);
    assert_refused("maps/evil.vrt", "outside its folder");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ordinary_maps_open),
        cmocka_unit_test(test_vrt),
        cmocka_unit_test(test_side_files),
        cmocka_unit_test(test_label),
        cmocka_unit_test(test_network),
        cmocka_unit_test(test_allowed),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
