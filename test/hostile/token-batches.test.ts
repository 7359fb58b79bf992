// Transfers that a token program runs within one instruction, judged by the program itself: on litesvm the tokens move.
import { type Address, address, getTransactionDecoder, lamports } from "@solana/kit"
import { Keypair, PublicKey, Transaction, TransactionInstruction } from "@solana/web3.js"
import { FailedTransactionMetadata, LiteSVM } from "litesvm"
import t from "tap"
import { outcomeOf, solanaAccount, valueOf } from "../harness/api-client.ts"
import { aggregation, transfers } from "../harness/velocity.ts"
import { deny } from "./consensus-fixture.ts"
import { asRoot, refused } from "./setup.ts"
import { limited } from "./velocity-fixture.ts"

const TOKEN = new PublicKey("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
const DECIMALS = 6
/** Numbers of the token program's instructions. */
const [TRANSFER, TRANSFER_CHECKED, BATCH] = [3, 12, 255]

const newKey = () => Keypair.generate().publicKey

t.test("B5: no batch of a token program passes a DENY on transfers, or a velocity control", async (t) => {
  const mint = newKey()
  const asset = { caip19: `solana:devnet/token:${mint.toBase58()}`, decimals: String(DECIMALS) }
  const threshold = "0.000030"
  const fixture = await limited(t, transfers([asset], { aggregation: aggregation({ threshold }) }))
  const { client, acme, dan } = fixture
  const wallet = { walletName: "Solana", accounts: [solanaAccount(0)] }
  const made = await asRoot(fixture).submit("CREATE_WALLET", wallet)
  const signWith = valueOf(made, "createWalletResult").addresses[0] ?? ""
  const chain = new TokenChain(mint, new PublicKey(signWith))
  const sign = (...parts: Part[]) => {
    const parameters = {
      signWith,
      unsignedTransaction: chain.transaction(parts).toString("hex"),
      type: "TRANSACTION_TYPE_SOLANA",
    }
    return client.send(
      client.body("ACTIVITY_TYPE_SIGN_TRANSACTION_V2", acme.organizationId, parameters),
      dan.key,
    )
  }
  await deny(fixture, { condition: "solana.tx.spl_transfers.any(x, x.amount > 9)" })

  const honest = outcomeOf(
    await sign({ number: TRANSFER, amount: 7n }, { number: TRANSFER_CHECKED, amount: 9n }),
  )
  chain.run(valueOf(honest, "signTransactionResult").signedTransaction)
  t.equal(chain.received, 16n, "the program runs a batch: its transfers are real")
  const denied = (...parts: Part[]) =>
    refused(t, fixture, "PERMISSION_DENIED", () => sign(...parts), JSON.stringify(parts, showAmount))
  await denied({ number: TRANSFER, amount: 10n })
  await denied({ number: TRANSFER, amount: 1n }, { number: TRANSFER_CHECKED, amount: 10n })
  await refused(
    t,
    fixture,
    "VELOCITY_CONTROL_EXCEEDED",
    () => sign({ number: TRANSFER, amount: 8n }, { number: TRANSFER, amount: 7n }),
    "15 more of 30, of which 16 are used",
  )
  t.match(await sign({ number: TRANSFER, amount: 7n }, { number: TRANSFER, amount: 7n }), { is: "outcome" })
})

const showAmount = (_name: string, value: unknown) => (typeof value === "bigint" ? String(value) : value)

type Part = { number: number; amount: bigint }

/** A chain on which `owner` holds tokens of a mint, and somebody else an empty account. */
class TokenChain {
  readonly #svm = new LiteSVM()
  readonly #mint: PublicKey
  readonly #owner: PublicKey
  readonly #from = newKey()
  readonly #to = newKey()

  constructor(mint: PublicKey, owner: PublicKey) {
    this.#mint = mint
    this.#owner = owner
    this.#svm.airdrop(nameOf(owner), lamports(1_000_000_000n))
    const state = Buffer.alloc(82)
    state.writeBigUInt64LE(1_000n, 36)
    state.set([DECIMALS, 1], 44)
    this.#set(mint, state)
    this.#set(this.#from, this.#account(owner, 500n))
    this.#set(this.#to, this.#account(newKey(), 0n))
  }

  get received(): bigint {
    const account = this.#svm.getAccount(nameOf(this.#to))
    return "data" in account ? Buffer.from(account.data).readBigUInt64LE(64) : 0n
  }

  /** A transaction without signature, whose one instruction is a batch. */
  transaction(parts: readonly Part[]): Buffer {
    const accounts = parts.map(({ number }) =>
      number === TRANSFER
        ? [this.#from, this.#to, this.#owner]
        : [this.#from, this.#mint, this.#to, this.#owner],
    )
    const data = parts.map(({ number, amount }, index) => {
      const own = Buffer.alloc(number === TRANSFER ? 9 : 10, DECIMALS)
      own[0] = number
      own.writeBigUInt64LE(amount, 1)
      return Buffer.concat([Buffer.of(accounts[index]?.length ?? 0, own.length), own])
    })
    const keys = accounts.flat().map((pubkey) => {
      return { pubkey, isSigner: pubkey.equals(this.#owner), isWritable: !pubkey.equals(this.#mint) }
    })
    const transaction = new Transaction()
    transaction.feePayer = this.#owner
    transaction.recentBlockhash = this.#svm.latestBlockhash()
    const batch = Buffer.concat([Buffer.of(BATCH), ...data])
    transaction.add(new TransactionInstruction({ programId: TOKEN, keys, data: batch }))
    return transaction.serialize({ requireAllSignatures: false, verifySignatures: false })
  }

  /** @throws Error if the chain refuses it */
  run(signed: string): void {
    const ran = this.#svm.sendTransaction(getTransactionDecoder().decode(Buffer.from(signed, "hex")))
    if (ran instanceof FailedTransactionMetadata) throw new Error(ran.toString())
  }

  #account(owner: PublicKey, amount: bigint): Buffer {
    const state = Buffer.alloc(165)
    state.set(this.#mint.toBytes(), 0)
    state.set(owner.toBytes(), 32)
    state.writeBigUInt64LE(amount, 64)
    // Initialized.
    state[108] = 1
    return state
  }

  #set(key: PublicKey, data: Buffer): void {
    this.#svm.setAccount({
      address: nameOf(key),
      data,
      executable: false,
      lamports: lamports(1_000_000_000n),
      programAddress: nameOf(TOKEN),
      space: BigInt(data.length),
    })
  }
}

function nameOf(key: PublicKey): Address {
  return address(key.toBase58())
}
