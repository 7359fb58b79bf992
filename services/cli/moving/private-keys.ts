import { counted } from "../../../signer/core/counted.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { Directory } from "../../terminal-client/names/resolve.ts"
import { copySecret, type Movable, type Move, type Moved } from "./move.ts"

type PrivateKey = {
  privateKeyId: string
  privateKeyName: string
  publicKey: string
  curve: string
  addresses: readonly { format: string; address: string }[]
}

export const privateKeys: Movable = {
  kind: "private-key",
  noun: "private key",
  plural: "private keys",
  nameOf: (item) => (item as PrivateKey).privateKeyName,
  countOf: (count) => counted(count, "address", "addresses"),
  move: (item, context) => moveKey(item as PrivateKey, context),
  jsonOf: ({ name: privateKeyName, outcome, id: privateKeyId, count: addresses, reason }) => ({
    privateKeyName,
    outcome,
    privateKeyId,
    addresses,
    reason,
  }),
}

/** The name comes first: by it a waiting import is recognized. Tags are of the configuration. */
async function moveKey(key: PrivateKey, context: Move): Promise<Omit<Moved, "name">> {
  const { privateKeyId, privateKeyName, curve, addresses } = key
  const { options, target } = context
  const count = addresses.length
  const before = await sameKey(key, target)
  if (before !== undefined) return { outcome: "moved before", id: before.privateKeyId, count }
  if (options.dryRun) return { outcome: "would be moved", count }
  const parameters = { privateKeyName, curve, addressFormats: addresses.map(({ format }) => format) }
  await copySecret({ type: "PRIVATE_KEY", identity: { privateKeyId } }, parameters, context)
  const after = await sameKey(key, target)
  if (after === undefined) throw differs(privateKeyName)
  return { outcome: "moved", id: after.privateKeyId, count }
}

/**
 * The target's private key of this name; undefined: there is none.
 *
 * @throws {CliError} usage: it is another key; verificationFailed: it lacks an address, and no activity adds one
 */
async function sameKey({ privateKeyName, publicKey, addresses }: PrivateKey, target: Stamping) {
  const all = (await new Directory(target).list("private-key")) as unknown as readonly PrivateKey[]
  const same = all.find((key) => key.privateKeyName === privateKeyName)
  if (same === undefined) return undefined
  if (same.publicKey !== publicKey)
    throw usage(`the other deployment has another private key ${privateKeyName}: it is not replaced`)
  const there = new Set(same.addresses.map(({ format, address }) => `${format} ${address}`))
  if (!addresses.every(({ format, address }) => there.has(`${format} ${address}`)))
    throw differs(privateKeyName)
  return same
}

function differs(privateKeyName: string): CliError {
  return new CliError(
    ExitCode.verificationFailed,
    `the other deployment lacks addresses of ${privateKeyName}: do not send to it, and delete nothing here`,
  )
}
