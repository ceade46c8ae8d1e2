/// The whole public API.
#ifndef GROUSER_GROUSER_H
#define GROUSER_GROUSER_H

#include "grouser/analysis.h"
#include "grouser/assets.h"
#include "grouser/control.h"
#include "grouser/drive.h"
#include "grouser/mission.h"
#include "grouser/model.h"
#include "grouser/record.h"
#include "grouser/rover.h"
#include "grouser/run.h"
#include "grouser/sample.h"
#include "grouser/scenario.h"
#include "grouser/scene.h"
#include "grouser/sim.h"
#include "grouser/soil.h"
#include "grouser/soil_file.h"
#include "grouser/soil_forces.h"
#include "grouser/soil_law.h"
#include "grouser/soil_map.h"
#include "grouser/status.h"
#include "grouser/surface.h"
#include "grouser/terrain.h"
#include "grouser/trace.h"
#include "grouser/trial.h"
#include "grouser/trust.h"
#include "grouser/vec.h"
#include "grouser/version.h"

#endif
