import { create } from "@bufbuild/protobuf"
import type {
  IpAllowlist,
  IpBlock as StoredBlock,
} from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { IpAllowlistSchema, IpBlockSchema } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../../core/refusal.ts"
import type { Draft } from "../../organization/draft.ts"
import { type IpBlock, readIpBlock, writeIpBlock } from "../../../core/organization/ip-block.ts"
import {
  MAX_IP_BLOCKS_PER_FAMILY,
  MAX_KEY_IP_ALLOWLISTS,
  WIDEST_IP_BLOCKS,
} from "../../organization/limits.ts"

export type NewIpAllowlist = Pick<IpAllowlist, "publicKey" | "enabled" | "allowOnError"> & {
  /** Blocks in any spelling. */
  rules: readonly { cidr: string; label: string }[]
}

/**
 * Replaces the IP allowlist of the organization, or of an API key. Repeated blocks are stored once, with the first
 * label. @throws ACTIVITY_CALLER_INVALID, RESOURCE_UNKNOWN, IP_BLOCK_INVALID, LIMIT_EXCEEDED
 */
export function setIpAllowlist(draft: Draft, list: NewIpAllowlist, field: string): void {
  requireTopLevel(draft)
  const { publicKey, enabled, allowOnError, rules } = list
  if (publicKey !== "") requireApiKey(draft, publicKey, `${field}.publicKey`)
  const blocks = requireBlocks(rules, draft.nowMs, `${field}.rules`)
  const added = create(IpAllowlistSchema, { publicKey, enabled, allowOnError, blocks })
  const { ipAllowlists } = draft.document
  const at = ipAllowlists.findIndex((other) => other.publicKey === publicKey)
  if (at !== -1) ipAllowlists[at] = added
  else {
    requireListCount(ipAllowlists, publicKey)
    ipAllowlists.push(added)
  }
  draft.markChanged()
}

/** @throws ACTIVITY_CALLER_INVALID, RESOURCE_UNKNOWN */
export function removeIpAllowlist(draft: Draft, publicKey: string, field: string): void {
  requireTopLevel(draft)
  const { document } = draft
  const kept = document.ipAllowlists.filter((list) => list.publicKey !== publicKey)
  if (kept.length === document.ipAllowlists.length) {
    const owner = publicKey === "" ? `organization ${draft.id}` : `public key ${publicKey}`
    throw refuse("RESOURCE_UNKNOWN", `${owner} has no IP allowlist`, { field: `${field}.publicKey` })
  }
  document.ipAllowlists = kept
  draft.markChanged()
}

function requireTopLevel({ document: { parentId } }: Draft): void {
  if (parentId === "") return
  throw refuse(
    "ACTIVITY_CALLER_INVALID",
    "only a top-level organization has IP allowlists; name it in organizationId",
  )
}

function requireApiKey({ document, id }: Draft, publicKey: string, field: string): void {
  if (document.users.some((user) => user.apiKeys.some((key) => key.publicKey === publicKey))) return
  throw refuse("RESOURCE_UNKNOWN", `no user of organization ${id} has api key ${publicKey}`, { field })
}

function requireListCount(lists: readonly IpAllowlist[], publicKey: string): void {
  const ofKeys = lists.filter((list) => list.publicKey !== "").length
  if (publicKey === "" || ofKeys < MAX_KEY_IP_ALLOWLISTS) return
  const sentence = `an organization has IP allowlists for at most ${MAX_KEY_IP_ALLOWLISTS} keys`
  throw refuse("LIMIT_EXCEEDED", sentence)
}

function requireBlocks(rules: NewIpAllowlist["rules"], createdAtMs: bigint, field: string): StoredBlock[] {
  const blocks = new Map<string, StoredBlock>()
  const count = { 32: 0, 128: 0 }
  rules.forEach(({ cidr: written, label }, index) => {
    const at = `${field}[${index}].cidr`
    const block = requireBlock(written, at)
    const cidr = writeIpBlock(block)
    if (blocks.has(cidr)) return
    count[block.bits] += 1
    if (count[block.bits] > MAX_IP_BLOCKS_PER_FAMILY) {
      const family = block.bits === 32 ? "IPv4" : "IPv6"
      const sentence = `an IP allowlist has at most ${MAX_IP_BLOCKS_PER_FAMILY} blocks of ${family}`
      throw refuse("LIMIT_EXCEEDED", sentence, { field: at })
    }
    blocks.set(cidr, create(IpBlockSchema, { cidr, label, createdAtMs }))
  })
  return [...blocks.values()]
}

function requireBlock(text: string, field: string): IpBlock {
  const block = readIpBlock(text)
  if (block === undefined) {
    const sentence = "a rule is a block in CIDR notation, like 192.0.2.0/24, 192.0.2.1/32 or 2001:db8::/48"
    throw refuse("IP_BLOCK_INVALID", sentence, { field })
  }
  const widest = WIDEST_IP_BLOCKS[block.bits]
  if (block.prefix >= widest) return block
  throw refuse("IP_BLOCK_INVALID", `${writeIpBlock(block)} is wider than /${widest}`, { field })
}
