#include "lettering.h"

#include <math.h>
#include <string.h>

// ---- the letters
//
// Strokes are separated by spaces. A point is an upper case letter, its x from A = 0, and a lower case one, its y from
// a = -4: the base line is e, the height of an x is o, that of a capital s. "~" stands before a point that a curve
// only bends towards, as in TrueType: between two of them the curve passes through their middle.
//
//      s  A B C D E F G H I        Example: "AoAe Aj~AoEo~IoIkIe" is n,
//      o  ·               ·        its stem from (0, 10) to (0, 0), then its arch
//      e  ·               ·        from (0, 5) by (4, 10) and (8, 6) to (8, 0).

enum { FIRST = ' ', LAST = '~', BASE = 'e', MINUS = LAST + 1, DEGREE, SQUARED, BOX, GLYPH_COUNT = BOX + 1 - FIRST };

static const char *const GLYPHS[GLYPH_COUNT] = {
    ['!' - FIRST] = "AsAi AeAe",
    ['"' - FIRST] = "AsAo DsDo",
    ['#' - FIRST] = "BeDs GeIs AiJi AmJm",
    ['$' - FIRST] = "Iq~HsEs~AsAp~AmEl~JkJh~JeEe~AeAg EuEc",
    ['%' - FIRST] = "Cs~As~An~En~EsCs Ij~Gj~Ge~Ke~KjIj JsBe",
    ['&' - FIRST] = "KeBo~BsEs~HsHp~HnDl~AkAi~AeEe~IeKk",
    ['\'' - FIRST] = "AsAo",
    ['(' - FIRST] = "Dt~AqAk~AeDb",
    [')' - FIRST] = "At~DqDk~DeAb",
    ['*' - FIRST] = "DsDm AqGo GqAo",
    ['+' - FIRST] = "EoEg AkIk",
    [',' - FIRST] = "BeAc",
    ['-' - FIRST] = "AjEj",
    ['.' - FIRST] = "AeAe",
    ['/' - FIRST] = "AcHt",
    ['0' - FIRST] = "Es~As~Ae~Ie~IsEs",
    ['1' - FIRST] = "BpFsFe",
    ['2' - FIRST] = "Ap~AsEs~IsIo~IlAeIe",
    ['3' - FIRST] = "Ar~BsDs~HsHp~HlDl Dl~IlIi~IeDe~BeAf",
    ['4' - FIRST] = "GeGsAiIi",
    ['5' - FIRST] = "HsBsBm~CnEn~InIj~IeDe~BeAf",
    ['6' - FIRST] = "HsGs~AsAj~AeEe~IeIi~InEn~AnAi",
    ['7' - FIRST] = "AsIsCe",
    ['8' - FIRST] = "El~Bl~Bs~Hs~HlEl El~Al~Ae~Ie~IlEl",
    ['9' - FIRST] = "BeCe~IeIn~IsEs~AsAo~AjEj~IjIo",
    [':' - FIRST] = "AeAe AnAn",
    [';' - FIRST] = "BeAc BnBn",
    ['<' - FIRST] = "IoAkIg",
    ['=' - FIRST] = "AmIm AiIi",
    ['>' - FIRST] = "AoIkAg",
    ['?' - FIRST] = "Ap~AsEs~IsIp~ImEkEi EeEe",
    ['@' - FIRST] = "Hk~Hn~Dn~Dh~HhHk HnHi~HhJh~LhLl~LsGs~AsAk~AcGcJd",
    ['A' - FIRST] = "AeFsKe CjIj",
    ['B' - FIRST] = "AeAsEs~HsHp~HlEl AlEl~IlIi~IeEeAe",
    ['C' - FIRST] = "Jp~IsFs~AsAl~AeFe~IeJh",
    ['D' - FIRST] = "AeAsDs~JsJl~JeDeAe",
    ['E' - FIRST] = "HsAsAeHe AlGl",
    ['F' - FIRST] = "HsAsAe AlGl",
    ['G' - FIRST] = "Jp~IsFs~AsAl~AeFe~KeKjKlGl",
    ['H' - FIRST] = "AsAe JsJe AlJl",
    ['I' - FIRST] = "AsAe",
    ['J' - FIRST] = "GsGi~GeDe~AeAh",
    ['K' - FIRST] = "AsAe IsAj DmJe",
    ['L' - FIRST] = "AsAeHe",
    ['M' - FIRST] = "AeAsGhMsMe",
    ['N' - FIRST] = "AeAsKeKs",
    ['O' - FIRST] = "Fs~As~Ae~Ke~KsFs",
    ['P' - FIRST] = "AeAsEs~IsIo~IkEkAk",
    ['Q' - FIRST] = "Fs~As~Ae~Ke~KsFs GhKd",
    ['R' - FIRST] = "AeAsEs~IsIo~IkEkAk EkIe",
    ['S' - FIRST] = "Iq~HsEs~AsAp~AmEl~JkJh~JeEe~AeAg",
    ['T' - FIRST] = "AsKs FsFe",
    ['U' - FIRST] = "AsAj~AeEe~IeIjIs",
    ['V' - FIRST] = "AsFeKs",
    ['W' - FIRST] = "AsDeHsLeOs",
    ['X' - FIRST] = "AsJe JsAe",
    ['Y' - FIRST] = "AsFlKs FlFe",
    ['Z' - FIRST] = "AsIsAeIe",
    ['[' - FIRST] = "DtAtAbDb",
    ['\\' - FIRST] = "AtHc",
    [']' - FIRST] = "AtDtDbAb",
    ['^' - FIRST] = "AnDsGn",
    ['_' - FIRST] = "AcIc",
    ['`' - FIRST] = "AsCq",
    ['a' - FIRST] = "Bn~CoEo~HoHkHe HkDk~AkAh~AeDe~HeHi",
    ['b' - FIRST] = "AsAe Aj~Ao~Io~Ie~AeAj",
    ['c' - FIRST] = "Hm~GoEo~AoAj~AeEe~GeHg",
    ['d' - FIRST] = "IsIe Ij~Io~Ao~Ae~IeIj",
    ['e' - FIRST] = "AjIj~IoEo~AoAj~AeEe~HeIg",
    ['f' - FIRST] = "FsEs~CsCpCe AoFo",
    ['g' - FIRST] = "Ij~Io~Ao~Ae~IeIj IoIe~IaEa~BaAb",
    ['h' - FIRST] = "AsAe Aj~AoEo~IoIkIe",
    ['i' - FIRST] = "AoAe AsAs",
    ['j' - FIRST] = "CoCc~CaAa CsCs",
    ['k' - FIRST] = "AsAe HoAi DkHe",
    ['l' - FIRST] = "AsAg~AeCe",
    ['m' - FIRST] = "AoAe Aj~AoDo~GoGkGe Gj~GoJo~MoMkMe",
    ['n' - FIRST] = "AoAe Aj~AoEo~IoIkIe",
    ['o' - FIRST] = "Eo~Ao~Ae~Ie~IoEo",
    ['p' - FIRST] = "AoAa Aj~Ao~Io~Ie~AeAj",
    ['q' - FIRST] = "IoIa Ij~Io~Ao~Ae~IeIj",
    ['r' - FIRST] = "AoAe Aj~AoEoFo",
    ['s' - FIRST] = "Gn~FoDo~AoAm~AkDj~HjHh~HeDe~BeAf",
    ['t' - FIRST] = "CsCh~CeFe AoFo",
    ['u' - FIRST] = "AoAi~AeEe~IeIj IoIe",
    ['v' - FIRST] = "AoEeIo",
    ['w' - FIRST] = "AoDeGoJeMo",
    ['x' - FIRST] = "AoIe IoAe",
    ['y' - FIRST] = "AoEe IoEeDc~CaAa",
    ['z' - FIRST] = "AoHoAeHe",
    ['{' - FIRST] = "Dt~BtBq~BlAk~BjBf~BbDb",
    ['|' - FIRST] = "AtAb",
    ['}' - FIRST] = "At~CtCq~ClDk~CjCf~CbAb",
    ['~' - FIRST] = "Ai~BnEk~HhIm",
    [MINUS - FIRST] = "AkIk",
    [DEGREE - FIRST] = "Cs~As~Ao~Eo~EsCs",
    [SQUARED - FIRST] = "As~DtDq~DpAmDm",
    [BOX - FIRST] = "AeAsIsIeAe",
};

/// Lengths in units of the letters, of which a size has twenty: between letters, a space, half the width of a stroke.
static const double UNIT = 1.0 / 20, BETWEEN = 4, SPACE = 6.5, HALF_STROKE = 0.85;

typedef struct Point {
    double x, y;
} Point;

/// The number of the next character's glyph.
static int next_glyph(const char **text)
{
    static const struct {
        const char *bytes;
        int glyph;
    } others[] = {{"\xe2\x88\x92", MINUS}, {"\xc2\xb0", DEGREE}, {"\xc2\xb2", SQUARED}};
    const unsigned char lead = (unsigned char)**text;
    if (lead < 0x80) {
        ++*text;
        return lead >= FIRST && lead <= LAST ? lead - FIRST : BOX - FIRST;
    }
    int glyph = BOX;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        glyph = strncmp(*text, others[i].bytes, strlen(others[i].bytes)) == 0 ? others[i].glyph : glyph;
    }
    do {
        ++*text;
    } while (((unsigned char)**text & 0xC0) == 0x80);
    return glyph - FIRST;
}

/// From the left edge of a glyph to that of the next one, in units.
static double advance(int glyph)
{
    double widest = 0;
    for (const char *c = GLYPHS[glyph]; c != NULL && *c != '\0'; c++) {
        widest = *c >= 'A' && *c <= 'Z' ? fmax(widest, *c - 'A') : widest;
    }
    return glyph == 0 ? SPACE : widest + BETWEEN;
}

double gr_lettering_width(const char *text, double size)
{
    double units = 0;
    while (*text != '\0') {
        units += advance(next_glyph(&text));
    }
    return fmax(0, units - BETWEEN + 2 * HALF_STROKE) * UNIT * size;
}

/// Where and how letters are drawn.
typedef struct Pen {
    GrPixels pixels;
    Point at; ///< of the glyph's left edge on the base line
    double scale, half;
    bool upward;
    const unsigned char *color;
} Pen;

static Point place(const Pen *pen, Point p)
{
    const double along = pen->scale * p.x, up = pen->scale * p.y;
    return pen->upward ? (Point){pen->at.x - up, pen->at.y - along} : (Point){pen->at.x + along, pen->at.y - up};
}

static double distance(Point p, Point a, Point b)
{
    const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    const double t = square > 0 ? fmin(1, fmax(0, ((p.x - a.x) * dx + (p.y - a.y) * dy) / square)) : 0;
    return hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

/// Darkens pixels by how much of them the stroke covers, but none more than before by another piece of a stroke.
static void draw_line(const Pen *pen, Point a, Point b)
{
    const double reach = pen->half + 1;
    const int left = (int)fmax(0, floor(fmin(a.x, b.x) - reach)), top = (int)fmax(0, floor(fmin(a.y, b.y) - reach));
    const int right = (int)fmin(pen->pixels.width, ceil(fmax(a.x, b.x) + reach));
    const int bottom = (int)fmin(pen->pixels.height, ceil(fmax(a.y, b.y) + reach));
    for (int row = top; row < bottom; row++) {
        for (int column = left; column < right; column++) {
            const double d = distance((Point){column + 0.5, row + 0.5}, a, b);
            const double light = 1 - fmin(1, fmax(0, pen->half + 0.5 - d));
            unsigned char *pixel = pen->pixels.data + 3 * ((size_t)row * (size_t)pen->pixels.width + (size_t)column);
            for (int c = 0; c < 3; c++) {
                const double value = pen->color[c] + light * (255 - pen->color[c]); // over white
                pixel[c] = (unsigned char)fmin(pixel[c], lround(value));
            }
        }
    }
}

/// A quadratic curve by a number of lines that suits its size.
static void draw_curve(const Pen *pen, Point from, Point by, Point to)
{
    const int count = 4 + (int)(pen->scale * 3);
    Point before = from;
    for (int i = 1; i <= count; i++) {
        const double t = (double)i / count, s = 1 - t;
        const Point p = {s * s * from.x + 2 * s * t * by.x + t * t * to.x,
                         s * s * from.y + 2 * s * t * by.y + t * t * to.y};
        draw_line(pen, before, p);
        before = p;
    }
}

static void draw_glyph(const Pen *pen, const char *strokes)
{
    Point last = {0, 0}, bend = {0, 0};
    bool begun = false, bends = false;
    for (const char *c = strokes; c != NULL && *c != '\0';) {
        if (*c == ' ') {
            begun = false;
            c++;
            continue;
        }
        const bool is_bend = *c == '~';
        c += is_bend;
        const Point p = place(pen, (Point){c[0] - 'A' + HALF_STROKE, c[1] - BASE});
        c += 2;
        if (bends) {
            const Point to = is_bend ? (Point){(bend.x + p.x) / 2, (bend.y + p.y) / 2} : p;
            draw_curve(pen, last, bend, to);
            last = to;
        } else if (begun && !is_bend) {
            draw_line(pen, last, p);
        }
        last = is_bend ? last : p;
        bend = p;
        bends = is_bend;
        begun = true;
    }
}

void gr_lettering_draw(GrPixels pixels, double x, double y, double size, bool upward, const char *text,
                       const unsigned char color[3])
{
    Pen pen = {.pixels = pixels,
               .at = {x, y},
               .scale = UNIT * size,
               .half = fmax(0.5, HALF_STROKE * UNIT * size),
               .upward = upward,
               .color = color};
    while (*text != '\0') {
        const int glyph = next_glyph(&text);
        const double step = advance(glyph) * pen.scale;
        draw_glyph(&pen, GLYPHS[glyph]);
        pen.at.x += upward ? 0 : step;
        pen.at.y -= upward ? step : 0;
    }
}
