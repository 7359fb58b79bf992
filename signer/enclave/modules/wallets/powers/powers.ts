// Powers of wallets: keys that sign, keys that are exported, keys that imports are sealed to; what policies see of them.
import { wiping } from "../../../../core/crypto/secret.ts"
import { namedHoldings } from "../../../../core/modules/wallets/holdings.ts"
import { readTargetKey, sealMessage } from "../../../bundles/message.ts"
import type { Makers } from "../../../execution/workspace/makers.ts"
import { only } from "../../../execution/workspace/only.ts"
import type { ModuleFacts } from "../../../execution/workspace/facts-request.ts"
import type { Workspace } from "../../../execution/workspace/workspace.ts"
import { holdingsOf } from "./holdings.ts"
import { StoredImportKeys } from "./import-keys.ts"
import { StoredSecretImportKeys } from "./secret-import-keys.ts"
import { OrderVault } from "./vault.ts"

export const facts: ModuleFacts = ({ activity, parameters, organization }, deps) => ({
  holdings(signer) {
    const named =
      signer === undefined
        ? namedHoldings(activity, parameters)
        : ({ is: "signer", signWith: signer } as const)
    return holdingsOf(named, organization, deps)
  },
})

export const powers = {
  signingKey(workspace) {
    const vault = vaultOf(workspace)
    return (signWith, field) => vault.signingKey(signWith, field)
  },
  vault: (workspace) => only(vaultOf(workspace), "openSecret", "account"),
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
} satisfies Partial<Makers>

function vaultOf({ run, records, deps }: Workspace): OrderVault {
  const { keyring, ledger, archive, signingKeys: cache, heldWallets } = deps
  const { organization, nowMs } = run
  const source = { organizationId: organization.id, records, keyring, ledger, archive }
  return new OrderVault({ ...source, cache, heldWallets, nowMs })
}

function importKeySourceOf({ run, changes, deps: { keyring, ledger, random } }: Workspace) {
  return { organizationId: run.organization.id, keyring, ledger, changes, random, nowMs: run.nowMs }
}

function importBundle(targetPublic: Uint8Array, { run, submitter: { userId }, deps }: Workspace): string {
  const target = { targetPublic, organizationId: run.organization.id, userId }
  return deps.keyring.bundles.importTarget(target)
}
