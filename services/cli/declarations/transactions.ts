import { text } from "node:stream/consumers"
import type { ReplacementAct, ReplaceOptions } from "../commands/replace.ts"
import type { SendOptions } from "../commands/send.ts"
import type { SignTransactionOptions } from "../commands/sign-transaction.ts"
import type { ChangeOptions } from "../../terminal-client/changes/change.ts"
import { command, type Declaration, type OptionDeclaration, stamped } from "./command.ts"

const YES: OptionDeclaration = ["--yes", "send without a question"]
const NO_WAIT: OptionDeclaration = ["--no-wait", "do not wait until it is included"]
const WITH: OptionDeclaration = [
  "--with <name>",
  "account, wallet with one account, or private key that signs",
]

function replacement(kind: ReplacementAct, about: string): Declaration {
  return command<ReplaceOptions, [id: string]>({
    words: `transaction ${kind} <id>`,
    about,
    options: [
      [
        "--max-fee-per-gas <wei>",
        "highest fee for each unit of gas; by default the least that nodes take, or the present one",
      ],
      ["--max-priority-fee-per-gas <wei>", "highest tip for each unit of gas, with the same default"],
      YES,
      NO_WAIT,
    ],
    shared: "change",
    examples: [`transaction ${kind} 019b76da-a800-7000-8000-000000000001`],
    run: async ({ options, stamping }, id) =>
      (await import("../commands/replace.ts")).submitReplacement(kind, id, options, await stamping()),
  })
}

const sign = () => import("../commands/sign.ts")

/** `send`, the commands of `transaction` and `sign`, and `chain status`. */
export const transactions: readonly Declaration[] = [
  command<SendOptions & ChangeOptions>({
    words: "send",
    about: "sign, broadcast and follow a transaction",
    options: [
      [
        "--chain <caip2>",
        "EVM chain, such as eip155:1, or a name of COUNTERSIGN_CHAINS such as base",
        { required: true },
      ],
      ["--from <address>", "account that pays", { required: true }],
      ["--to <address>", "account or contract", { required: true }],
      ["--value <wei>", "amount in wei"],
      ["--data <hex>", "call data"],
      ["--nonce <number>", "nonce; by default the account's next one"],
      ["--gas-limit <units>", "gas units; by default the API's estimate"],
      [
        "--max-fee-per-gas <wei>",
        "highest fee for each unit of gas; by default from the chain's present fees",
      ],
      ["--max-priority-fee-per-gas <wei>", "highest tip for each unit of gas"],
      YES,
      NO_WAIT,
    ],
    shared: "change",
    examples: [
      "send --chain base --from 0x8cC3e34B34dBb3907CFceFcE1F93bB7B75cEA0B9 --to 0x00000000000000000000000000000000000000aa --value 1000",
    ],
    run: async ({ options, stamping }) => {
      const { readSend, send } = await import("../commands/send.ts")
      await send(readSend(options), options, await stamping())
    },
  }),
  replacement("replace", "sign a waiting transaction again with higher fees, and send it"),
  replacement("cancel", "send nothing in place of a waiting transaction"),
  command<SignTransactionOptions & ChangeOptions, [hex: string]>({
    words: "sign transaction <hex>",
    about: "sign an unsigned transaction; - for standard input",
    options: [
      WITH,
      ["--sign-with <address>", "the same, by address or id"],
      ["--type <chain>", "ethereum, solana, tron or bitcoin", { fallback: "ethereum" }],
    ],
    shared: "change",
    examples: ["sign transaction 0x02e4… --with First"],
    run: async ({ options, stamping }, hex) => {
      const unsigned = hex === "-" ? (await text(process.stdin)).trim() : hex
      const { signTransaction } = await import("../commands/sign-transaction.ts")
      await signTransaction(unsigned, options, await stamping())
    },
  }),
  command({
    words: "sign message <text>",
    about: "sign a message, with accounts of Ethereum by EIP-191; - for standard input",
    options: [["--raw", "without the prefix of EIP-191, for accounts of Ethereum"], WITH],
    shared: "change",
    examples: ['sign message "pay the supplier" --with First --as alice'],
    run: stamped(async () => (await sign()).signMessage),
  }),
  command({
    words: "sign typed-data <file>",
    about: "sign typed data of EIP-712; - for standard input",
    options: [WITH],
    shared: "change",
    examples: ["sign typed-data permit.json --with First"],
    run: stamped(async () => (await sign()).signTypedData),
  }),
  command({
    words: "sign digest <hex>",
    about: "sign 32 bytes as they are; neither people nor policies see what they mean",
    options: [WITH],
    shared: "change",
    examples: [`sign digest ${"a1".repeat(32)} --with First --dry-run`],
    run: stamped(async () => (await sign()).signDigest),
  }),
  command({
    words: "chain status",
    about: "ask the nodes of each chain, from this host",
    shared: "json",
    examples: ["chain status"],
    run: async ({ environment, options, terminal }) =>
      (await import("../commands/chain-status.ts")).chainStatus(environment, options, terminal),
  }),
]
