// Transactions that published clients have signed on the running system; viem, ethers and @solana/kit read the results.
import { getTransactionDecoder, type Address, getPublicKeyFromAddress, verifySignature } from "@solana/kit"
import { getSignedTransactionFromActivity } from "@turnkey/http"
import { createAccount, TurnkeyActivityError, TurnkeyConsensusNeededError } from "@turnkey/viem"
import { Transaction } from "ethers"
import t from "tap"
import {
  fromRlp,
  type Hex,
  keccak256,
  type LocalAccount,
  parseTransaction,
  recoverAddress,
  recoverTransactionAddress,
  type TransactionSerializable,
  type TransactionSerialized,
} from "viem"
import { parseTransaction as parseForCelo, serializeTransaction as serializeForCelo } from "viem/celo"
import { wallet } from "../e2e/wallets.ts"
import { solanaAccount, userParams } from "../harness/api-client.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { newKey } from "../harness/stamper.ts"
import { solanaTransfer } from "../harness/transactions.ts"
import { httpOf, sdkOf } from "./published.ts"

type Client = Parameters<typeof createAccount>[0]["client"]

const TO = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
const WORD = `0x${"11".repeat(32)}` as const
const fees = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000n }
const common = {
  chainId: 8453,
  nonce: 7,
  gas: 90_000n,
  to: TO,
  value: 10n ** 18n,
  data: "0xa9059cbb",
} as const
const accessList = [{ address: TO, storageKeys: [WORD] }] as const
const authorization = { chainId: 1, address: TO, nonce: 0, r: WORD, s: WORD, yParity: 1 } as const

/** One of each type that viem writes. */
const TRANSACTIONS: { [name: string]: TransactionSerializable } = {
  legacy: { ...common, type: "legacy", gasPrice: 9n },
  "legacy without chain": { type: "legacy", nonce: 1, gas: 21_000n, gasPrice: 9n, to: TO },
  creation: { ...common, ...fees, type: "eip1559", to: null },
  eip2930: { ...common, type: "eip2930", gasPrice: 9n, accessList },
  eip1559: { ...common, ...fees, type: "eip1559", accessList },
  eip4844: {
    ...common,
    ...fees,
    type: "eip4844",
    maxFeePerBlobGas: 3n,
    blobVersionedHashes: [`0x01${"22".repeat(31)}`],
  },
  eip7702: { ...common, ...fees, type: "eip7702", authorizationList: [authorization] },
}

t.test("published clients have transactions signed", async (t) => {
  const system = await sharedSystem()
  const acme = await system.createOrganization()
  const { organizationId, root, rootUserId } = acme
  const address = await wallet(system, acme, "First")
  const sdk = sdkOf(system, organizationId, root)
  const alice = newKey()
  const { userIds } = await sdk.createUsers({ users: [userParams("alice", alice) as never] })
  const account = (client: Client): Promise<LocalAccount> =>
    createAccount({ client, organizationId, signWith: address })
  const older = httpOf(system, root) as unknown as Client

  for (const [name, client] of [
    ["the server's SDK", sdk],
    ["the older client", older],
  ] as const) {
    t.test(`an account for viem with ${name} signs every type of Ethereum`, async (t) => {
      const { signTransaction } = await account(client)
      for (const [type, transaction] of Object.entries(TRANSACTIONS)) {
        const signed = (await signTransaction(transaction)) as TransactionSerialized
        t.equal(await recoverTransactionAddress({ serializedTransaction: signed }), address, `${type}, viem`)
        const read = Transaction.from(signed)
        t.equal(read.from, address, `${type}, ethers`)
        const { nonce, value = 0n } = parseTransaction(signed)
        t.same(
          [nonce, value, read.nonce, read.value],
          [transaction.nonce, transaction.value ?? 0n, transaction.nonce, transaction.value ?? 0n],
        )
      }
    })
  }

  t.test("an account for viem signs Celo's transactions with a fee currency (CIP-64)", async (t) => {
    const { signTransaction } = await account(sdk)
    const transaction = { ...common, ...fees, type: "cip64", chainId: 42220, feeCurrency: TO } as const
    const signed = await signTransaction(transaction as never, { serializer: serializeForCelo as never })
    t.match(parseForCelo(signed), { type: "cip64", chainId: 42220, feeCurrency: TO.toLowerCase() })
    // viem's reader of CIP-64 leaves the signature out.
    const [v, r, s] = (fromRlp(`0x${signed.slice(4)}`, "hex") as Hex[]).slice(-3) as [Hex, Hex, Hex]
    const signature = { r, s, yParity: v === "0x" ? 0 : 1 }
    const hash = keccak256(serializeForCelo(transaction))
    t.equal(await recoverAddress({ hash, signature }), address)
  })

  t.test("the server's SDK has a Solana transaction signed", async (t) => {
    const accounts = [solanaAccount(0)]
    const { addresses } = await sdk.createWallet({ walletName: "Solana", accounts } as never)
    const [signWith = ""] = addresses
    const { bytes, message } = solanaTransfer({ signers: [signWith], lamports: 5n })
    const { signedTransaction } = await sdk.signTransaction({
      signWith,
      unsignedTransaction: Buffer.from(bytes).toString("hex"),
      type: "TRANSACTION_TYPE_SOLANA",
    })
    const { messageBytes, signatures } = getTransactionDecoder().decode(Buffer.from(signedTransaction, "hex"))
    t.same(Buffer.from(messageBytes), Buffer.from(message))
    const key = await getPublicKeyFromAddress(signWith as Address)
    t.ok(await verifySignature(key, signatures[signWith as Address]!, messageBytes))
  })

  t.test("a denied transaction has the text that published signers match", async (t) => {
    const hers = await account(sdkOf(system, organizationId, alice))
    const attempt = async (transaction: TransactionSerializable) =>
      hers.signTransaction(transaction).catch((error: unknown) => error)
    const implicit = await attempt({ ...common, ...fees, type: "eip1559" })
    t.ok(implicit instanceof TurnkeyActivityError)
    t.match(implicit, {
      message:
        /^Failed to sign: Turnkey error 7: policy engine denied request implicitly \(Details: \[\{.*PolicyEnginePermissionError/,
    })
    const policies = [
      { policyName: "alice signs", effect: "EFFECT_ALLOW", condition: "activity.kind == 'SIGN_TRANSACTION'" },
      { policyName: "banned", effect: "EFFECT_DENY", condition: `eth.tx.to == '${TO}'` },
    ] as const
    for (const policy of policies) await sdk.createPolicy({ ...policy, notes: "" })
    const explicit = await attempt({ ...common, ...fees, type: "eip1559" })
    t.ok(explicit instanceof TurnkeyActivityError)
    t.match(explicit, {
      message: "Failed to sign: Turnkey error 7: policy engine denied request explicitly (Details: [])",
    })
    const { activities } = await sdk.getActivities({ filterByStatus: ["ACTIVITY_STATUS_FAILED"] })
    t.match(
      JSON.stringify(activities[0]?.failure),
      "The following policies denied this action: ",
      "stored whole",
    )
    const other = `0x${"22".repeat(20)}` as const
    const signed = await attempt({ ...common, ...fees, type: "eip1559", to: other })
    t.equal(
      await recoverTransactionAddress({ serializedTransaction: signed as TransactionSerialized }),
      address,
    )
  })

  t.test("a transaction that cannot be read, or is not served, is refused with its reason", async (t) => {
    const attempt = (unsignedTransaction: string, type: string) =>
      sdk.signTransaction({ signWith: address, unsignedTransaction, type } as never)
    for (const chain of ["ETHEREUM", "BITCOIN", "TRON"])
      await t.rejects(attempt("c0", `TRANSACTION_TYPE_${chain}`), {
        code: 3,
        message: /failed to parse transaction: .*\(at byte 0\)/,
      })
    await t.rejects(attempt("c0", "TRANSACTION_TYPE_TEMPO"), { code: 3, message: /TRANSACTION_TYPE_TEMPO/ })
  })

  t.test("a transaction that waits for votes is signed by the last of them", async (t) => {
    await sdk.updateRootQuorum({ threshold: 2, userIds: [rootUserId, userIds[0]!] })
    const mine = await account(older)
    const transaction = { ...common, ...fees, type: "eip1559" } as const
    const waits = await mine.signTransaction(transaction).catch((error: unknown) => error)
    if (!(waits instanceof TurnkeyConsensusNeededError)) throw waits
    const activityId = waits.activityId ?? ""
    const { activity: waiting } = await sdk.getActivity({ activityId })
    await sdkOf(system, organizationId, alice).approveActivity({ fingerprint: waiting.fingerprint })
    const { activity } = await sdk.getActivity({ activityId })
    const signed = getSignedTransactionFromActivity(activity) as TransactionSerialized
    t.equal(await recoverTransactionAddress({ serializedTransaction: signed }), address)
  })
})
