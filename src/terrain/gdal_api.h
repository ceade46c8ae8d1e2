/// The functions of GDAL that we use, loaded when a raster is opened or written.
///
/// Loading GDAL and the hundred libraries that it needs takes 60 ms, ten times as long as everything else that the
/// program loads, and most commands need no raster. The library is therefore not linked but opened by
/// gr_gdal_start(). Calls look the same: every name below is a macro for a pointer in `gr_gdal`. A function that is
/// missing here would not link.
#ifndef GR_GDAL_API_H
#define GR_GDAL_API_H

#include "grouser/status.h"

#include "lazy.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_minixml.h>
#include <cpl_string.h>
#include <gdal.h>
#include <ogr_srs_api.h>

// clang-format off
#define GR_GDAL_FUNCTIONS(X) \
    X(CPLDestroyXMLNode) \
    X(CPLErrorReset) \
    X(CPLGetConfigOption) \
    X(CPLGetLastErrorMsg) \
    X(CPLGetLastErrorType) \
    X(CPLParseXMLString) \
    X(CPLPopErrorHandler) \
    X(CPLPushErrorHandler) \
    X(CPLQuietErrorHandler) \
    X(CPLSetConfigOption) \
    X(CSLDestroy) \
    X(CSLSetNameValue) \
    X(GDALAllRegister) \
    X(GDALClose) \
    X(GDALCreate) \
    X(GDALCreateCopy) \
    X(GDALDataTypeIsComplex) \
    X(GDALDatasetRasterIOEx) \
    X(GDALDeregisterDriver) \
    X(GDALDestroyDriver) \
    X(GDALFlushCache) \
    X(GDALGetBlockSize) \
    X(GDALGetDataCoverageStatus) \
    X(GDALGetDataTypeByName) \
    X(GDALGetDataTypeName) \
    X(GDALGetDatasetDriver) \
    X(GDALGetDriver) \
    X(GDALGetDriverByName) \
    X(GDALGetDriverCount) \
    X(GDALGetDriverShortName) \
    X(GDALGetFileList) \
    X(GDALGetGeoTransform) \
    X(GDALGetMaskBand) \
    X(GDALGetMaskFlags) \
    X(GDALGetMetadataItem) \
    X(GDALGetOverview) \
    X(GDALGetOverviewCount) \
    X(GDALGetColorInterpretationName) \
    X(GDALGetRasterBand) \
    X(GDALGetRasterBandXSize) \
    X(GDALGetRasterBandYSize) \
    X(GDALGetRasterCount) \
    X(GDALGetRasterDataType) \
    X(GDALGetRasterNoDataValue) \
    X(GDALGetRasterOffset) \
    X(GDALGetRasterScale) \
    X(GDALGetRasterColorInterpretation) \
    X(GDALGetRasterUnitType) \
    X(GDALGetRasterXSize) \
    X(GDALGetRasterYSize) \
    X(GDALGetSpatialRef) \
    X(GDALOpen) \
    X(GDALOpenEx) \
    X(GDALRasterIOEx) \
    X(GDALSetCacheMax64) \
    X(GDALSetDescription) \
    X(GDALSetGeoTransform) \
    X(GDALSetMetadataItem) \
    X(GDALSetRasterNoDataValue) \
    X(GDALSetRasterOffset) \
    X(GDALSetRasterScale) \
    X(GDALSetRasterUnitType) \
    X(GDALSetSpatialRef) \
    X(OCTDestroyCoordinateTransformation) \
    X(OCTNewCoordinateTransformation) \
    X(OCTTransform) \
    X(OSRClone) \
    X(OSRCloneGeogCS) \
    X(OSRDestroySpatialReference) \
    X(OSRExportToWktEx) \
    X(OSRGetAttrValue) \
    X(OSRGetInvFlattening) \
    X(OSRGetLinearUnits) \
    X(OSRGetSemiMajor) \
    X(OSRImportFromWkt) \
    X(OSRIsGeographic) \
    X(OSRIsSame) \
    X(OSRNewSpatialReference) \
    X(OSRSetAxisMappingStrategy) \
    X(VSIFree)
// clang-format on

typedef struct GrGdal {
    GR_GDAL_FUNCTIONS(GR_LAZY_MEMBER)
} GrGdal;

/// Written once, by the first gr_gdal_start().
extern GrGdal gr_gdal;

/// Loads GDAL, registers the formats of raster_gdal.h, and bounds its block cache unless GDAL_CACHEMAX is set; once,
/// for all threads. Call it before any of the functions above. `path`: the raster, for the message.
GrStatus gr_gdal_start(const char *path, GrErrorLog *log);

/// Sets the size of GDAL's block cache, not below the usual one; not where GDAL_CACHEMAX is set.
void gr_gdal_cache(GIntBig bytes);

#ifndef GR_GDAL_LOADER // which needs their names
#define CPLDestroyXMLNode                  gr_gdal.CPLDestroyXMLNode
#define CPLErrorReset                      gr_gdal.CPLErrorReset
#define CPLGetConfigOption                 gr_gdal.CPLGetConfigOption
#define CPLGetLastErrorMsg                 gr_gdal.CPLGetLastErrorMsg
#define CPLGetLastErrorType                gr_gdal.CPLGetLastErrorType
#define CPLParseXMLString                  gr_gdal.CPLParseXMLString
#define CPLPopErrorHandler                 gr_gdal.CPLPopErrorHandler
#define CPLPushErrorHandler                gr_gdal.CPLPushErrorHandler
#define CPLQuietErrorHandler               gr_gdal.CPLQuietErrorHandler
#define CPLSetConfigOption                 gr_gdal.CPLSetConfigOption
#define CSLDestroy                         gr_gdal.CSLDestroy
#define CSLSetNameValue                    gr_gdal.CSLSetNameValue
#define GDALAllRegister                    gr_gdal.GDALAllRegister
#define GDALClose                          gr_gdal.GDALClose
#define GDALCreate                         gr_gdal.GDALCreate
#define GDALCreateCopy                     gr_gdal.GDALCreateCopy
#define GDALDataTypeIsComplex              gr_gdal.GDALDataTypeIsComplex
#define GDALDatasetRasterIOEx              gr_gdal.GDALDatasetRasterIOEx
#define GDALDeregisterDriver               gr_gdal.GDALDeregisterDriver
#define GDALDestroyDriver                  gr_gdal.GDALDestroyDriver
#define GDALFlushCache                     gr_gdal.GDALFlushCache
#define GDALGetBlockSize                   gr_gdal.GDALGetBlockSize
#define GDALGetDataCoverageStatus          gr_gdal.GDALGetDataCoverageStatus
#define GDALGetDataTypeByName              gr_gdal.GDALGetDataTypeByName
#define GDALGetDataTypeName                gr_gdal.GDALGetDataTypeName
#define GDALGetDatasetDriver               gr_gdal.GDALGetDatasetDriver
#define GDALGetDriver                      gr_gdal.GDALGetDriver
#define GDALGetDriverByName                gr_gdal.GDALGetDriverByName
#define GDALGetDriverCount                 gr_gdal.GDALGetDriverCount
#define GDALGetDriverShortName             gr_gdal.GDALGetDriverShortName
#define GDALGetFileList                    gr_gdal.GDALGetFileList
#define GDALGetGeoTransform                gr_gdal.GDALGetGeoTransform
#define GDALGetMaskBand                    gr_gdal.GDALGetMaskBand
#define GDALGetMaskFlags                   gr_gdal.GDALGetMaskFlags
#define GDALGetMetadataItem                gr_gdal.GDALGetMetadataItem
#define GDALGetOverview                    gr_gdal.GDALGetOverview
#define GDALGetOverviewCount               gr_gdal.GDALGetOverviewCount
#define GDALGetRasterBand                  gr_gdal.GDALGetRasterBand
#define GDALGetRasterBandXSize             gr_gdal.GDALGetRasterBandXSize
#define GDALGetRasterBandYSize             gr_gdal.GDALGetRasterBandYSize
#define GDALGetRasterCount                 gr_gdal.GDALGetRasterCount
#define GDALGetRasterDataType              gr_gdal.GDALGetRasterDataType
#define GDALGetRasterNoDataValue           gr_gdal.GDALGetRasterNoDataValue
#define GDALGetRasterOffset                gr_gdal.GDALGetRasterOffset
#define GDALGetRasterScale                 gr_gdal.GDALGetRasterScale
#define GDALGetColorInterpretationName     gr_gdal.GDALGetColorInterpretationName
#define GDALGetRasterColorInterpretation   gr_gdal.GDALGetRasterColorInterpretation
#define GDALGetRasterUnitType              gr_gdal.GDALGetRasterUnitType
#define GDALGetRasterXSize                 gr_gdal.GDALGetRasterXSize
#define GDALGetRasterYSize                 gr_gdal.GDALGetRasterYSize
#define GDALGetSpatialRef                  gr_gdal.GDALGetSpatialRef
#define GDALOpen                           gr_gdal.GDALOpen
#define GDALOpenEx                         gr_gdal.GDALOpenEx
#define GDALRasterIOEx                     gr_gdal.GDALRasterIOEx
#define GDALSetCacheMax64                  gr_gdal.GDALSetCacheMax64
#define GDALSetDescription                 gr_gdal.GDALSetDescription
#define GDALSetGeoTransform                gr_gdal.GDALSetGeoTransform
#define GDALSetMetadataItem                gr_gdal.GDALSetMetadataItem
#define GDALSetRasterNoDataValue           gr_gdal.GDALSetRasterNoDataValue
#define GDALSetRasterOffset                gr_gdal.GDALSetRasterOffset
#define GDALSetRasterScale                 gr_gdal.GDALSetRasterScale
#define GDALSetRasterUnitType              gr_gdal.GDALSetRasterUnitType
#define GDALSetSpatialRef                  gr_gdal.GDALSetSpatialRef
#define OCTDestroyCoordinateTransformation gr_gdal.OCTDestroyCoordinateTransformation
#define OCTNewCoordinateTransformation     gr_gdal.OCTNewCoordinateTransformation
#define OCTTransform                       gr_gdal.OCTTransform
#define OSRClone                           gr_gdal.OSRClone
#define OSRCloneGeogCS                     gr_gdal.OSRCloneGeogCS
#define OSRDestroySpatialReference         gr_gdal.OSRDestroySpatialReference
#define OSRExportToWktEx                   gr_gdal.OSRExportToWktEx
#define OSRGetAttrValue                    gr_gdal.OSRGetAttrValue
#define OSRGetInvFlattening                gr_gdal.OSRGetInvFlattening
#define OSRGetLinearUnits                  gr_gdal.OSRGetLinearUnits
#define OSRGetSemiMajor                    gr_gdal.OSRGetSemiMajor
#define OSRImportFromWkt                   gr_gdal.OSRImportFromWkt
#define OSRIsGeographic                    gr_gdal.OSRIsGeographic
#define OSRIsSame                          gr_gdal.OSRIsSame
#define OSRNewSpatialReference             gr_gdal.OSRNewSpatialReference
#define OSRSetAxisMappingStrategy          gr_gdal.OSRSetAxisMappingStrategy
#define VSIFree                            gr_gdal.VSIFree
#endif

#endif
