import { text } from "node:stream/consumers"
import type { Command } from "commander"
import type { StampOptions } from "../api-options.ts"
import type { ChangeOptions } from "../changes/change.ts"
import type { Stamping } from "../changes/stamping.ts"
import type { Replacement, ReplaceOptions } from "../commands/replace.ts"
import type { SendOptions } from "../commands/send.ts"
import type { SignOptions } from "../commands/sign.ts"
import type { SignTransactionOptions } from "../commands/sign-transaction.ts"
import { changes, type CommandContext, examples, stampingOf, subcommand } from "./options.ts"

/** `send`, the commands of `transaction` and `sign`, and `chain status`. */
export function addTransactionCommands(program: Command, context: CommandContext): void {
  addSend(program, context)
  const sent = subcommand(program, "transaction", "replace or cancel an EVM transaction that waits")
  addReplacement(sent, context, "replace", "sign a waiting transaction again with higher fees, and send it")
  addReplacement(sent, context, "cancel", "send nothing in place of a waiting transaction")
  const sign = subcommand(program, "sign", "sign a transaction, a message, typed data or a digest")
  addSignTransaction(sign, context)
  addSignMessage(sign, context)
  addChainStatus(program, context)
}

function addSend(program: Command, context: CommandContext): void {
  changes(program.command("send").description("sign, broadcast and follow a transaction"))
    .requiredOption(
      "--chain <caip2>",
      "EVM chain, such as eip155:1, or a name of COUNTERSIGN_CHAINS such as base",
    )
    .requiredOption("--from <address>", "account that pays")
    .requiredOption("--to <address>", "account or contract")
    .option("--value <wei>", "amount in wei")
    .option("--data <hex>", "call data")
    .option("--nonce <number>", "nonce; by default the account's next one")
    .option("--gas-limit <units>", "gas units; by default the API's estimate")
    .option(
      "--max-fee-per-gas <wei>",
      "highest fee for each unit of gas; by default from the chain's present fees",
    )
    .option("--max-priority-fee-per-gas <wei>", "highest tip for each unit of gas")
    .option("--yes", "send without a question")
    .option("--no-wait", "do not wait until it is included")
    .action(async (options: StampOptions & SendOptions & ChangeOptions) => {
      const { readSend, send } = await import("../commands/send.ts")
      const wanted = readSend(options)
      await send(wanted, options, await stampingOf(options, context))
    })
}

function addReplacement(sent: Command, context: CommandContext, kind: Replacement, about: string): void {
  examples(changes(sent.command(`${kind} <id>`).description(about)), [
    `transaction ${kind} 019b76da-a800-7000-8000-000000000001`,
  ])
    .option(
      "--max-fee-per-gas <wei>",
      "highest fee for each unit of gas; by default the least that nodes take, or the present one",
    )
    .option("--max-priority-fee-per-gas <wei>", "highest tip for each unit of gas, with the same default")
    .option("--yes", "send without a question")
    .option("--no-wait", "do not wait until it is included")
    .action(async (id: string, options: StampOptions & ReplaceOptions) => {
      const { submitReplacement } = await import("../commands/replace.ts")
      await submitReplacement(kind, id, options, await stampingOf(options, context))
    })
}

function addSignTransaction(sign: Command, context: CommandContext): void {
  examples(
    changes(
      sign.command("transaction <hex>").description("sign an unsigned transaction; - for standard input"),
    ),
    ["sign transaction 0x02e4… --with First"],
  )
    .option("--with <name>", "account, wallet with one account, or private key that signs")
    .option("--sign-with <address>", "the same, by address or id")
    .option("--type <chain>", "ethereum, solana, tron or bitcoin", "ethereum")
    .action(async (hex: string, options: StampOptions & SignTransactionOptions & ChangeOptions) => {
      const unsigned = hex === "-" ? (await text(process.stdin)).trim() : hex
      const { signTransaction } = await import("../commands/sign-transaction.ts")
      await signTransaction(unsigned, options, await stampingOf(options, context))
    })
}

type Sign = (given: string, options: SignOptions, stamping: Stamping) => Promise<void>

/** `sign message`, `sign typed-data` and `sign digest`. */
function addSignMessage(sign: Command, context: CommandContext): void {
  const signing = (words: string, about: string, lines: readonly string[], load: () => Promise<Sign>) => {
    const command = sign.command(words).description(about)
    if (words.startsWith("message"))
      command.option("--raw", "without the prefix of EIP-191, for accounts of Ethereum")
    examples(changes(command), lines)
      .option("--with <name>", "account, wallet with one account, or private key that signs")
      .action(async (given: string, options: StampOptions & SignOptions) => {
        const signed = await load()
        await signed(given, options, await stampingOf(options, context))
      })
  }
  signing(
    "message <text>",
    "sign a message, with accounts of Ethereum by EIP-191; - for standard input",
    ['sign message "pay the supplier" --with First --as alice'],
    async () => (await import("../commands/sign.ts")).signMessage,
  )
  signing(
    "typed-data <file>",
    "sign typed data of EIP-712; - for standard input",
    ["sign typed-data permit.json --with First"],
    async () => (await import("../commands/sign.ts")).signTypedData,
  )
  signing(
    "digest <hex>",
    "sign 32 bytes as they are; neither people nor policies see what they mean",
    [`sign digest ${"a1".repeat(32)} --with First --dry-run`],
    async () => (await import("../commands/sign.ts")).signDigest,
  )
}

function addChainStatus(program: Command, { environment, terminal }: CommandContext): void {
  const chain = program.command("chain").description("chains of COUNTERSIGN_CHAINS")
  chain
    .command("status")
    .description("ask the nodes of each chain, from this host")
    .option("--json", "print the result on one line")
    .action(async (options: { json?: boolean }) => {
      const { chainStatus } = await import("../commands/chain-status.ts")
      await chainStatus(environment, options, terminal)
    })
}
