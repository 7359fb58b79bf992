import type { CodeStarted } from "../../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { requireVerificationToken } from "../../../../core/otp/verification-token.ts"
import type { Codes, Verifications } from "../../../activities/powers/fetched.ts"
import type { Workspace } from "../../../execution/workspace/workspace.ts"
import { mailTemplateOf } from "./mail-templates.ts"
import { requireFetcherKey } from "../../../execution/state/fetcher-key.ts"
import type { FactKind } from "../../../execution/state/fact-kind.ts"
import type { FetchedFacts } from "../../../execution/workspace/fetched-facts.ts"

/** An activity starts one code, and checks one. */
const ONLY = ""

/** The code that the activity started. */
export const STARTED_CODE: FactKind<"startCode", "codeStarted", CodeStarted> = {
  task: "startCode",
  finding: "codeStarted",
  subject: () => ONLY,
  read: (_task, started) => started,
  isStored: true,
}

/** The token for the code that the activity checked. */
export const CHECKED_CODE: FactKind<"checkCode", "codeChecked", string> = {
  task: "checkCode",
  finding: "codeChecked",
  subject: () => ONLY,
  read: (_task, { verificationToken }) => verificationToken,
  isStored: true,
}

export function codesOf({ facts, run, deps }: Workspace): Codes {
  return {
    template: (id, field) => mailTemplateOf(run.governing(), id, field, deps),
    start: (code) =>
      facts.require(STARTED_CODE, ONLY, () => {
        const { parentId, activityFingerprint } = facts.activity()
        return { ...code, parentId, activityFingerprint }
      }),
  }
}

export function verificationsOf(facts: FetchedFacts): Verifications {
  return {
    check: (code) =>
      facts.require(CHECKED_CODE, ONLY, () => {
        const { activityFingerprint } = facts.activity()
        return { ...code, activityFingerprint }
      }),
    token(compact, field) {
      facts.read()
      const { id, document } = facts.activity().organization
      const organizationIds = [id, document.parentId].filter((one) => one !== "")
      const fetcherKey = requireFetcherKey(facts.deps)
      return requireVerificationToken(compact, {
        fetcherKey,
        organizationIds,
        nowMs: facts.source.nowMs,
        field,
      })
    },
  }
}
