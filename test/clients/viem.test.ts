// The published account for viem on the running system; viem and ethers verify its signatures.
import { getSignatureFromActivity } from "@turnkey/http"
import { createAccount, TurnkeyActivityError, TurnkeyConsensusNeededError } from "@turnkey/viem"
import * as ethers from "ethers"
import t from "tap"
import {
  createWalletClient,
  custom,
  hashMessage,
  hashTypedData,
  isAddressEqual,
  type LocalAccount,
  recoverAddress,
  verifyMessage,
  verifyTypedData,
} from "viem"
import { recoverAuthorizationAddress } from "viem/utils"
import { wallet } from "../e2e/wallets.ts"
import { userParams } from "../harness/api-client.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { newKey } from "../harness/stamper.ts"
import { httpOf, sdkOf, toHex } from "./published.ts"

type Client = Parameters<typeof createAccount>[0]["client"]

/** An order with all that typed data may hold: an array of structs, numbers of 256 bits, bytes, signed numbers. */
const ORDER = {
  domain: {
    name: "Market",
    version: "1",
    chainId: 1n,
    verifyingContract: "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC",
    salt: `0x${"5a".repeat(32)}`,
  },
  types: {
    Person: [
      { name: "name", type: "string" },
      { name: "wallets", type: "address[]" },
    ],
    Order: [
      { name: "from", type: "Person" },
      { name: "to", type: "Person[]" },
      { name: "amount", type: "uint256" },
      { name: "change", type: "int64" },
      { name: "urgent", type: "bool" },
      { name: "reference", type: "bytes32" },
      { name: "note", type: "bytes" },
    ],
  },
  primaryType: "Order",
  message: {
    from: { name: "Zoë", wallets: ["0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826"] },
    to: [{ name: "Bob", wallets: [] }],
    amount: 2n ** 256n - 1n,
    change: -7n,
    urgent: true,
    reference: `0x${"11".repeat(32)}`,
    note: "0x00ff",
  },
} as const

/** Domain type in the typed data's own types, if present. */
const DOMAIN = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
  { name: "salt", type: "bytes32" },
] as const

/** Signing asks no node. */
const NO_NETWORK = { request: () => Promise.reject(new Error("there is no node")) }

/** Types for ethers, which takes only mutable lists. */
const TYPES = { Person: [...ORDER.types.Person], Order: [...ORDER.types.Order] }

t.test("an account of the published client for viem", async (t) => {
  const system = await sharedSystem()
  const acme = await system.createOrganization()
  const { organizationId, root, rootUserId } = acme
  const address = await wallet(system, acme, "First")
  const sdk = sdkOf(system, organizationId, root)
  const { privateKeys } = await sdk.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: "key",
        curve: "CURVE_SECP256K1",
        addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
        privateKeyTags: [],
      },
    ],
  })
  const { privateKeyId = "", addresses: [own] = [] } = privateKeys[0]!
  const account = (client: Client, signWith: string) => createAccount({ client, organizationId, signWith })
  // The account was built beside another release of this client, whose class is another to TypeScript.
  const older = httpOf(system, root) as unknown as Client
  const accounts: [string, string, LocalAccount][] = [
    ["by address, with the server's SDK", address, await account(sdk, address)],
    ["by address, with the older client", address, await account(older, address)],
    ["by id of a private key", own?.address ?? "", await account(sdk, privateKeyId)],
  ]

  for (const [name, expected, account] of accounts) {
    t.test(`${name}, has its address`, async (t) => t.equal(account.address, expected))

    t.test(`${name}, signs messages`, async (t) => {
      for (const message of ["pay the supplier", "", "Zoë 😀", "0x00"]) {
        const signature = await account.signMessage({ message })
        t.ok(await verifyMessage({ address: account.address, message, signature }), "viem")
        t.equal(ethers.verifyMessage(message, signature), account.address, "ethers")
        t.notOk(await verifyMessage({ address: account.address, message: `${message} `, signature }))
        t.not(ethers.verifyMessage(`${message} `, signature), account.address)
      }
      const raw = "0x00ff80"
      const signature = await account.signMessage({ message: { raw } })
      t.ok(await verifyMessage({ address: account.address, message: { raw }, signature }), "bytes, viem")
      t.equal(ethers.verifyMessage(ethers.getBytes(raw), signature), account.address, "bytes, ethers")
    })

    t.test(`${name}, signs typed data`, async (t) => {
      const { domain, message } = ORDER
      const walletClient = createWalletClient({ account, transport: custom(NO_NETWORK) })
      const described = { ...ORDER, types: { ...ORDER.types, EIP712Domain: DOMAIN } }
      for (const signature of [
        await account.signTypedData(described),
        await walletClient.signTypedData(ORDER),
      ]) {
        t.ok(await verifyTypedData({ ...ORDER, address: account.address, signature }), "viem")
        const judged = (value: object) => ethers.verifyTypedData(domain, TYPES, value, signature)
        t.equal(judged(message), account.address, "ethers")
        t.not(judged({ ...message, amount: message.amount - 1n }), account.address)
      }
      t.equal(ethers.TypedDataEncoder.hash(domain, TYPES, message), hashTypedData(ORDER), "one digest")
    })

    t.test(`${name}, refuses a domain that its types do not describe`, async (t) => {
      // viem's own serializer leaves such a domain out; its wallet client describes the domain first.
      const signature = await account.signTypedData(ORDER)
      t.equal(ethers.verifyTypedData({}, TYPES, ORDER.message, signature), account.address)
      t.notOk(await verifyTypedData({ ...ORDER, address: account.address, signature }))
    })

    t.test(`${name}, signs digests`, async (t) => {
      const hash = hashMessage("a digest of its own")
      const signature = await account.sign!({ hash })
      t.equal(await recoverAddress({ hash, signature }), account.address, "viem")
      t.equal(ethers.recoverAddress(hash, signature), account.address, "ethers")
    })

    t.test(`${name}, signs authorizations of EIP-7702`, async (t) => {
      const terms = { address: ORDER.domain.verifyingContract, chainId: 1, nonce: 5 }
      const { r, s, yParity } = await account.signAuthorization!(terms)
      const signed = { ...terms, r, s, yParity: yParity! }
      t.ok(
        isAddressEqual(await recoverAuthorizationAddress({ authorization: signed }), account.address),
        "viem",
      )
      const signature = ethers.Signature.from({ r, s, yParity: yParity === 1 ? 1 : 0 })
      t.equal(ethers.verifyAuthorization(terms, signature), account.address, "ethers")
    })
  }

  t.test("refuses with viem's own errors", async (t) => {
    const alice = newKey()
    const { userIds } = await sdk.createUsers({ users: [userParams("alice", alice) as never] })
    const hers = await account(sdkOf(system, organizationId, alice), address)
    const denied = await hers.signMessage({ message: "not hers" }).catch((error: unknown) => error)
    t.ok(denied instanceof TurnkeyActivityError)
    t.match(denied, { message: /sufficient permissions/ })
    const elsewhere = await account(sdk, "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC")
    await t.rejects(elsewhere.signMessage({ message: "nobody's" }), {
      message: /Could not find any resource/,
    })

    const quorum = { threshold: 2, userIds: [rootUserId, userIds[0]!] }
    await sdk.updateRootQuorum(quorum)
    const mine = await account(older, address)
    const message = "of two"
    const waits = await mine.signMessage({ message }).catch((error: unknown) => error)
    if (!(waits instanceof TurnkeyConsensusNeededError)) throw waits
    const activityId = waits.activityId ?? ""
    const waiting = await sdk.getActivity({ activityId })
    t.equal(waiting.activity.status, "ACTIVITY_STATUS_CONSENSUS_NEEDED")
    const { fingerprint } = waiting.activity
    await sdkOf(system, organizationId, alice).approveActivity({ fingerprint })
    const { activity } = await sdk.getActivity({ activityId })
    const signature = toHex(getSignatureFromActivity(activity))
    t.equal(ethers.verifyMessage(message, signature), address, "both have signed for it")
  })
})
