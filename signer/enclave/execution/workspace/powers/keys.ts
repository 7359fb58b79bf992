import { wiping } from "../../../../core/crypto/secret.ts"
import { readTargetKey, sealMessage } from "../../../bundles/message.ts"
import { newAuthProxyKey } from "../../../keys/auth-proxy-key.ts"
import { mailedKey } from "../../../keys/mailed-key.ts"
import { keyMailerOf } from "../fetched/mails.ts"
import { StoredImportKeys } from "../import-keys.ts"
import { only } from "../only.ts"
import { StoredSecretImportKeys } from "../secret-import-keys.ts"
import { OrderVault } from "../vault.ts"
import type { Workspace } from "../workspace.ts"
import type { Makers } from "./makers.ts"

export const KEY_POWERS = {
  signingKey(workspace) {
    const vault = vaultOf(workspace)
    return (signWith, field) => vault.signingKey(signWith, field)
  },
  vault: (workspace) => only(vaultOf(workspace), "openSecret", "account"),
  random:
    ({ deps }) =>
    (length) =>
      deps.random(length),
  exportBundle: ({ run, submitter: { userId }, deps: { keyring, random } }) => ({
    to(targetPublicKey, field = "parameters.targetPublicKey") {
      const recipient = readTargetKey(targetPublicKey, field)
      const origin = { organizationId: run.organization.id, userId, nowMs: run.nowMs }
      return {
        seal: (plaintext, secret) =>
          wiping([plaintext], () => {
            const message = sealMessage(recipient, plaintext, random)
            return keyring.bundles.exported(message, { ...origin, secret })
          }),
      }
    },
  }),
  importKey(workspace) {
    const keys = new StoredImportKeys(importKeySourceOf(workspace))
    const { userId } = workspace.submitter
    return {
      make: (kind) => importBundle(keys.make(userId, kind), workspace),
      spend: (kind, field) => keys.spend(userId, kind, field),
    }
  },
  secretImportKey(workspace) {
    const keys = new StoredSecretImportKeys(importKeySourceOf(workspace))
    const { userId } = workspace.submitter
    return {
      make: (count) => keys.make(userId, count).map((point) => importBundle(point, workspace)),
      spend: (named) => keys.spend(userId, named),
    }
  },
  authProxyKey: ({ run, deps: { keyring, random } }) => ({
    make(configId) {
      const place = { organizationId: run.organization.id, configId }
      return newAuthProxyKey(keyring.pins.authProxyPublicKey, place, random)
    },
  }),
  mailedKey: ({ run, request, facts, deps }) => ({
    key() {
      const activity = { organizationId: run.organization.id, fingerprint: request.fingerprint }
      return mailedKey(deps.keyring.mailedKeys, activity)
    },
    ...keyMailerOf(facts),
  }),
  send: ({ sends }) => only(sends, "plan", "planSolana", "sign"),
  broadcast: ({ sends }) => only(sends, "raw", "add"),
} satisfies Partial<Makers>

function vaultOf({ run, records, deps }: Workspace): OrderVault {
  const { keyring, ledger, archive, signingKeys: cache } = deps
  const { organization, nowMs } = run
  return new OrderVault({ organizationId: organization.id, records, keyring, ledger, archive, cache, nowMs })
}

function importKeySourceOf({ run, changes, deps: { keyring, ledger, random } }: Workspace) {
  return { organizationId: run.organization.id, keyring, ledger, changes, random, nowMs: run.nowMs }
}

function importBundle(targetPublic: Uint8Array, { run, submitter: { userId }, deps }: Workspace): string {
  const target = { targetPublic, organizationId: run.organization.id, userId }
  return deps.keyring.bundles.importTarget(target)
}
