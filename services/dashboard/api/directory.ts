// The organization with names for ids. Every page reads it from one query, without users, who may be many.
import type { Time } from "../../common/activity-json.ts"
import { type Loaded, useQuery } from "./data.ts"
import { userOf } from "./people.ts"

export type Policy = {
  policyId: string
  policyName: string
  effect: string
  notes: string
  consensus: string
  condition: string
  time?: string
  createdAt: Time
  updatedAt: Time
}
export type Wallet = {
  walletId: string
  walletName: string
  exported: boolean
  imported: boolean
  createdAt: Time
}
export type ListedPrivateKey = {
  privateKeyId: string
  privateKeyName: string
  curve: string
  addresses: { address: string }[]
}
export type Feature = { name: string; value?: string }
export type ListedOrganization = {
  organizationId: string
  name: string
  policies: Policy[]
  privateKeys: ListedPrivateKey[]
  invitations: { invitationId: string; receiverUserName: string; receiverEmail: string; status: string }[]
  tags: { tagId: string; tagName: string; tagType: string }[]
  rootQuorum: { threshold: number; userIds: string[] }
  features: Feature[]
  wallets: Wallet[]
  accounts: Account[]
}

export type Account = {
  walletAccountId: string
  walletId: string
  address: string
  addressFormat: string
  curve: string
  path: string
  publicKey?: string
  name?: string
}

/** Accounts whose addresses have names on every page: the first hundred. */
const NAMED_ACCOUNTS = "100"

export function useOrganization(): Loaded<ListedOrganization> {
  const { data, ...state } = useQuery<{ organizationData: ListedOrganization }>("get_organization", {
    omitUsers: true,
  })
  const accounts = useQuery<{ accounts: Account[] }>("list_wallet_accounts", {
    paginationOptions: { limit: NAMED_ACCOUNTS },
  })
  const organization = data && { ...data.organizationData, accounts: accounts.data?.accounts ?? [] }
  return { ...state, data: organization }
}

/** A name of an address: that of its account, or of its wallet. */
function nameOfAddress({ accounts, wallets }: ListedOrganization, address: string): string | undefined {
  const account = accounts.find((one) => one.address === address)
  return (
    account && (account.name ?? wallets.find(({ walletId }) => walletId === account.walletId)?.walletName)
  )
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/

/** The name of a thing with this id; undefined: the organization has none, or it is a user who is being asked for. */
export function nameOf(organization: ListedOrganization | undefined, id: string): string | undefined {
  if (organization === undefined) return undefined
  const { policies, wallets, privateKeys, tags } = organization
  return (
    wallets.find(({ walletId }) => walletId === id)?.walletName ??
    policies.find(({ policyId }) => policyId === id)?.policyName ??
    privateKeys.find(({ privateKeyId }) => privateKeyId === id)?.privateKeyName ??
    tags.find(({ tagId }) => tagId === id)?.tagName ??
    nameOfAddress(organization, id) ??
    (UUID.test(id) ? userOf(id)?.userName : undefined)
  )
}
