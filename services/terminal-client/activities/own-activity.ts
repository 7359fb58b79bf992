import { createHash } from "node:crypto"
import { CliError, ExitCode } from "../exit.ts"

/**
 * Refuses an answer with another activity than the one that the body asks for, or votes on. Its fingerprint would be passed on
 * to approvers in the name of the user who stamped the body.
 *
 * @throws {CliError} verificationFailed
 */
export async function requireOwnActivity(
  activity: { fingerprint?: unknown } | undefined,
  body: string,
): Promise<void> {
  // The contract's tables load for longer than a query takes, which needs none of them.
  const { isOwnActivity } = await import("../../dashboard/words/own-activity.ts")
  const digest = createHash("sha256").update(body).digest("hex")
  const fingerprint = activity?.fingerprint
  if (isOwnActivity(fingerprint, body, digest)) return
  const shown = typeof fingerprint === "string" ? `activity ${fingerprint}` : "no activity"
  throw new CliError(ExitCode.verificationFailed, [
    `the API answered with ${shown}, and the stamped request is sha256:${digest}: the answer is not used`,
    "Have nobody approve by it. countersign activity list shows what waits",
  ])
}
