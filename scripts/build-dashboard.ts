// Builds the dashboard into services/dashboard/dist, unless the build there is of the present sources.
import { buildDashboard } from "../services/cli/dashboard/build.ts"

console.log(await buildDashboard())
