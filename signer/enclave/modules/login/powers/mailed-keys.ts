import type { MailedKeys } from "../../../activities/powers/fetched.ts"
import type { FactKind } from "../../../execution/state/fact-kind.ts"
import type { Workspace } from "../../../execution/workspace/workspace.ts"
import { mailedKey } from "../../../keys/mailed-key.ts"
import { mailTemplateOf } from "./mail-templates.ts"
import { sealToFetcher } from "./sealed-to-fetcher.ts"

/** An activity mails one key. */
const ONLY = ""

/** The activity's key was mailed. */
export const MAILED_KEY: FactKind<"mailKey", "keyMailed", true> = {
  task: "mailKey",
  finding: "keyMailed",
  subject: () => ONLY,
  read: () => true,
  isStored: true,
}

export function mailedKeysOf({ run, request, facts, deps }: Workspace): MailedKeys {
  return {
    template: (id, field) => mailTemplateOf(run.governing(), id, field, deps),
    key() {
      const activity = { organizationId: run.organization.id, fingerprint: request.fingerprint }
      return mailedKey(deps.keyring.mailedKeys, activity)
    },
    mail: ({ bundle, ...mail }) =>
      void facts.require(MAILED_KEY, ONLY, () => {
        const { parentId, activityFingerprint } = facts.activity()
        const place = { organizationId: facts.source.request.organizationId, activityFingerprint }
        const sealedBundle = sealToFetcher(bundle(), place, facts.deps)
        return { ...mail, sealedBundle, parentId, activityFingerprint }
      }),
  }
}
