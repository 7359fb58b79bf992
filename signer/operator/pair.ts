import { REFUSED, StartError } from "../core/settings/start-fault.ts"
import { OperatorService } from "../../proto/gen/countersign/signer/v1/operator_pb.ts"
import type { Pins } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { wordsOfKey } from "../core/crypto/key-words.ts"
import { faultsOf } from "../core/settings/settings.ts"
import type { SignerConfig } from "../enclave/config.ts"
import { compressedKey, fetcherKeys } from "../process/settings.ts"
import { UsageFault } from "../core/command-line.ts"
import { withService } from "../process/socket-client.ts"
import type { CommandResult } from "./command-result.ts"

/** A process that a signer is paired with. */
export type Peer = "fetcher" | "auth-proxy"

const PEERS = {
  fetcher: {
    setting: "COUNTERSIGN_SIGNER_FETCHER_PUBLIC_KEY",
    notarizerSetting: "COUNTERSIGN_FETCHER_NOTARIZER_PUBLIC_KEY",
    read: fetcherKeys,
    keyOf: ({ fetcherPublicKey, onRampPublicKey }: Pins) => fetcherPublicKey + onRampPublicKey,
    shownBy: "countersign-fetcher public-key",
  },
  "auth-proxy": {
    setting: "COUNTERSIGN_SIGNER_AUTH_PROXY_PUBLIC_KEY",
    notarizerSetting: "COUNTERSIGN_AUTH_PROXY_NOTARIZER_PUBLIC_KEY",
    read: compressedKey,
    keyOf: ({ authProxyPublicKey }: Pins) => authProxyPublicKey,
    shownBy: "node --disable-sigusr1 services/auth-proxy/main.ts public-key",
  },
} as const

export type PairCommand = { waitSeconds: number; peer?: Peer; key?: string }

/**
 * The pairing of the running signer, and for a peer's key the settings of both hosts. It changes nothing: each side
 * learns the other's key from its own settings.
 */
export async function pair(
  { waitSeconds, peer, key }: PairCommand,
  config: SignerConfig,
): Promise<CommandResult> {
  const given = peer === undefined ? undefined : readKey(peer, key ?? "")
  return withService(OperatorService, config.operatorSocket, waitSeconds, async ({ getStatus }) => {
    const { pins, explanation } = await getStatus({})
    if (pins === undefined) throw new StartError(REFUSED, `no pins: ${explanation}`)
    return peer === undefined || given === undefined ? pairings(pins) : instructions(peer, given, pins)
  })
}

/** @throws {UsageFault} */
function readKey(peer: Peer, text: string): string {
  let key: string | undefined
  const [fault] = faultsOf(() => {
    key = PEERS[peer].read(text.trim())
  })
  if (fault !== undefined || key === undefined) throw new UsageFault(`--${peer}: ${fault ?? "name its key"}`)
  return key
}

function pairings(pins: Pins): CommandResult {
  const notarizer = { words: wordsOfKey(pins.notarizerPublicKey), publicKey: pins.notarizerPublicKey }
  const peers = (Object.keys(PEERS) as Peer[]).map((name) => {
    const publicKey = PEERS[name].keyOf(pins)
    return { name, ...(publicKey !== "" && { words: wordsOfKey(publicKey), publicKey }) }
  })
  return {
    lines: [
      `notarizer   ${notarizer.words}`,
      ...peers.map(({ name, words }) => `${name.padEnd(11)} ${words ?? `not paired: ${howToPair(name)}`}`),
    ],
    json: { notarizer, peers },
  }
}

function howToPair(peer: Peer): string {
  return `countersign-signer pair --${peer} KEY, with the key that ${PEERS[peer].shownBy} prints on its host`
}

function instructions(peer: Peer, publicKey: string, pins: Pins): CommandResult {
  const { setting, notarizerSetting, keyOf, shownBy } = PEERS[peer]
  const present = keyOf(pins)
  const state = present === publicKey ? "paired" : present === "" ? "unpaired" : "paired with another key"
  const words = wordsOfKey(publicKey)
  const notarizerWords = wordsOfKey(pins.notarizerPublicKey)
  const settings = {
    signer: { [setting]: publicKey },
    [peer]: { [notarizerSetting]: pins.notarizerPublicKey },
  }
  return {
    lines: [
      `${peer} ${words}`,
      `  Compare these words with those of: ${shownBy}. Other words: the key was replaced on its way.`,
      `notarizer ${notarizerWords}`,
      `  The ${peer} shows these words once it has the setting below.`,
      `state ${state === "paired with another key" ? `${state}: ${wordsOfKey(present)}` : state}`,
      "Setting of the signer, then restart it:",
      `  ${setting}=${publicKey}`,
      `Setting of the ${peer}, then restart it:`,
      `  ${notarizerSetting}=${pins.notarizerPublicKey}`,
    ],
    json: { peer, publicKey, words, notarizerWords, state, settings },
  }
}
