import { type ActivityRow, getActivityByFingerprint } from "../store/activities.ts"
import type { Database } from "../../database/database.ts"
import type { Submission } from "./envelope.ts"

/** The activity that a vote names, if the database has it. */
export function findTarget(sql: Database, submission: Submission): Promise<ActivityRow | undefined> {
  return getActivityByFingerprint(sql, submission.organizationId, targetOf(submission))
}

/** Fingerprint of the activity that a vote names. */
export function targetOf({ parameters }: Submission): Buffer {
  return Buffer.from(String(parameters.fingerprint).replace(/^sha256:/, ""), "hex")
}
