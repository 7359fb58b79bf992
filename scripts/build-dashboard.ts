// Builds the dashboard into services/dashboard/dist, unless the build there is of the present sources.
import { buildDashboard } from "../services/dev/build-dashboard.ts"

console.log(await buildDashboard())
