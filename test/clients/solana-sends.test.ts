// Published clients send on Solana: the server's SDK by the service, web3.js and @solana/kit by the published signers.
import { type Address, createSignableMessage } from "@solana/kit"
import { TurnkeySigner as KeychainSigner } from "@solana/keychain-turnkey"
import {
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js"
import { TurnkeySigner } from "@turnkey/solana"
import t from "tap"
import { solanaAccounts } from "../e2e/wallets.ts"
import { userParams } from "../harness/api-client.ts"
import { freshDatabase } from "../harness/database.ts"
import { SolanaChain } from "../harness/solana-chain.ts"
import { newKey, type TestKey } from "../harness/stamper.ts"
import { privateKeyHex, System } from "../harness/system.ts"
import { solanaTransfer } from "../harness/transactions.ts"
import { startWorker, until } from "../services/worker/start-worker.ts"
import { httpOf, sdkOf } from "./published.ts"

const CAIP2 = "solana:local"
const SOL = 1_000_000_000n
const FEE = 5_000n

type Client = ConstructorParameters<typeof TurnkeySigner>[0]["client"]

t.test("on Solana, published clients:", async (t) => {
  const chain = await SolanaChain.start(t)
  const { url: databaseUrl } = await freshDatabase(t)
  const environment = { COUNTERSIGN_CHAINS: `${CAIP2}=${chain.url}` }
  const system = await System.start(databaseUrl, environment)
  t.teardown(() => system.stop())
  const acme = await system.createOrganization()
  const { organizationId, root } = acme
  const addresses = await solanaAccounts(system, acme, 4)
  const to = Keypair.generate().publicKey
  for (const address of [...addresses, to.toBase58()]) chain.fund(address, SOL)
  const sdk = sdkOf(system, organizationId, root)
  const connection = new Connection(chain.url, "confirmed")
  // The signer was built beside another release of the older client, whose class is another to TypeScript.
  const signers = (key: TestKey): [string, TurnkeySigner][] => [
    ["the server's SDK", new TurnkeySigner({ organizationId, client: sdkOf(system, organizationId, key) })],
    [
      "the older client",
      new TurnkeySigner({ organizationId, client: httpOf(system, key) as unknown as Client }),
    ],
  ]
  const transferOf = (from: string, lamports: number) => {
    const fromPubkey = new PublicKey(from)
    const recentBlockhash = chain.svm.latestBlockhash()
    const transfer = SystemProgram.transfer({ fromPubkey, toPubkey: to, lamports })
    const legacy = new Transaction({ feePayer: fromPubkey, recentBlockhash } as never).add(transfer)
    legacy.recentBlockhash = recentBlockhash
    const message = new TransactionMessage({
      payerKey: fromPubkey,
      recentBlockhash,
      instructions: [transfer],
    })
    return { legacy, versioned: new VersionedTransaction(message.compileToV0Message()) }
  }
  const included = async (transaction: Transaction | VersionedTransaction) => {
    const signature = await connection.sendRawTransaction(transaction.serialize())
    const { value } = await connection.getSignatureStatus(signature)
    return value?.err === null && value.confirmationStatus === "confirmed"
  }

  t.test("solSendTransaction of the server's SDK is followed until it is included", async (t) => {
    await startWorker(t, { ...environment, DATABASE_URL: databaseUrl })
    const [from = ""] = addresses
    const { bytes } = solanaTransfer({
      signers: [from],
      to: to.toBase58(),
      lamports: 3n,
      blockhash: new Uint8Array(32),
    })
    const { sendTransactionStatusId } = await sdk.solSendTransaction({
      unsignedTransaction: Buffer.from(bytes).toString("hex"),
      signWiths: [from],
      caip2: CAIP2 as never,
    })
    const status = () => sdk.getSendTransactionStatus({ sendTransactionStatusId })
    await until(
      async () => (await status()).txStatus === "INCLUDED",
      () => "the transaction is not included",
    )
    const { solana } = (await status()) as { solana?: { signature: string } }
    const { value } = await connection.getSignatureStatus(solana?.signature ?? "")
    t.match(value, { err: null, confirmationStatus: "confirmed" })
    t.equal(chain.balance(from), SOL - 3n - FEE)
  })

  t.test("the signer for web3.js signs legacy and versioned transactions, one and several", async (t) => {
    const [, from = ""] = addresses
    const before = chain.balance(to.toBase58())
    let lamports = 10
    for (const [name, signer] of signers(root)) {
      for (const kind of ["legacy", "versioned"] as const) {
        const signed = await signer.signTransaction(transferOf(from, lamports++)[kind], from)
        t.ok(await included(signed), `${name}, ${kind}`)
        const added = transferOf(from, lamports++)[kind]
        await signer.addSignature(added, from)
        t.ok(await included(added), `${name}, ${kind}, by raw payload`)
      }
      const several = [transferOf(from, lamports++).legacy, transferOf(from, lamports++).versioned]
      for (const one of await signer.signAllTransactions(several, from))
        t.ok(await included(one), `${name}, all`)
    }
    t.equal(chain.balance(to.toBase58()) - before, sum(10, lamports - 1))
  })

  t.test("a denial reaches the signer for web3.js with its text and code", async (t) => {
    const alice = newKey()
    await sdk.createUsers({ users: [userParams("alice", alice) as never] })
    const [, from = ""] = addresses
    const policy = { policyName: "banned", effect: "EFFECT_DENY", notes: "" } as const
    await sdk.createPolicy({ ...policy, condition: "solana.tx.transfers.any(t, t.amount == 99)" })
    for (const [name, signer] of signers(alice)) {
      for (const [lamports, word] of [
        [98, "implicitly"],
        [99, "explicitly"],
      ] as const) {
        const denied = signer.signTransaction(transferOf(from, lamports).versioned, from)
        const details = word === "explicitly" ? "\\[\\]\\)$" : "\\[\\{.*PolicyEnginePermissionError"
        const message = new RegExp(
          `^Turnkey error 7: policy engine denied request ${word} \\(Details: ${details}`,
        )
        await t.rejects(denied, { name: "TurnkeyRequestError", code: 7, message }, `${name}, ${word}`)
      }
    }
  })

  t.test("the keychain's signer for @solana/kit signs messages and transactions", async (t) => {
    const [, , , from = ""] = addresses
    const signer = new KeychainSigner({
      apiBaseUrl: system.url,
      apiPublicKey: root.publicKeyHex,
      apiPrivateKey: privateKeyHex(root),
      organizationId,
      privateKeyId: from,
      publicKey: from,
    })
    t.ok(await signer.isAvailable())
    const { versioned } = transferOf(from, 77)
    const messageBytes = versioned.message.serialize()
    const unsigned = { messageBytes, signatures: { [from]: null } }
    const [signatures] = await signer.signTransactions([unsigned as never])
    versioned.addSignature(new PublicKey(from), signatures![from as Address]!)
    t.ok(await included(versioned))
    const [signed] = await signer.signMessages([createSignableMessage("a message")])
    t.equal(signed![from as Address]!.length, 64)
  })
})

/** The sum of all whole numbers from `first` to `last`. */
function sum(first: number, last: number): bigint {
  return BigInt(((first + last) * (last - first + 1)) / 2)
}
