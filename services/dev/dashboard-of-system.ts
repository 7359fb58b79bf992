import { fromJson } from "@bufbuild/protobuf"
import { type Pins, PinsSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { get } from "../terminal-client/api-client.ts"
import { savePins } from "../terminal-client/pins.ts"
import { type DashboardStart, type StartedDashboard, startDashboard } from "./dashboard.ts"

/** Fetches the pins of the running system, keeps them, and serves the dashboard with them. */
export async function startPinnedDashboard(
  start: Omit<DashboardStart, "pins">,
): Promise<{ pins: Pins; dashboard: StartedDashboard | undefined }> {
  const { client, seeded, settings, log } = start
  const pins = fromJson(PinsSchema, (await get(client, "/public/v1/pins")) as never)
  // An earlier release paired the signer with fewer processes. This command started the signer, so it trusts these pins.
  if (seeded !== undefined && (await savePins(settings.pinsFile, pins, Date.now())))
    log("the pins of this deployment have changed; the former ones are kept beside them")
  return { pins, dashboard: await startDashboard({ ...start, pins }) }
}
