import { existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { Secret, wipe } from "../../../signer/core/crypto/secret.ts"
import type { ChangeOptions } from "../../terminal-client/changes/change.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { Directory } from "../../terminal-client/names/resolve.ts"
import { readAccounts } from "../resources/accounts.ts"
import { readSecret } from "../../terminal-client/secret-input.ts"
import { printEither, printResult } from "../../terminal-client/terminal.ts"
import { exportSecret, importSecret, requestImportKey } from "../wallets/transfer.ts"
import { whoami } from "../../terminal-client/whoami.ts"

export type ImportOptions = ChangeOptions & { account?: readonly string[]; file: string }
export type ExportOptions = ChangeOptions & { out: string }

/**
 * Imports a mnemonic: this program seals it to the signer of the pins, so the API tier cannot read it.
 *
 * @throws {CliError} usage: the name is taken, or nothing to import; verificationFailed: another signer's import key
 */
export async function importWallet(
  walletName: string,
  options: ImportOptions,
  stamping: Stamping,
): Promise<void> {
  const { terminal } = stamping
  const accounts = await readAccounts(options.account ?? [])
  const wallets = await new Directory(stamping).list("wallet")
  if (wallets.some((wallet) => wallet["walletName"] === walletName))
    throw usage(`there is a wallet ${walletName}: choose another name`)
  const { userId } = await whoami(stamping)
  if (options.dryRun) {
    terminal.log(
      "would stamp init_import_wallet, then import_wallet with the sealed mnemonic; nothing was sent",
    )
    printResult(terminal, { userId, walletName, accounts }, options)
    return
  }
  const secret = await readMnemonic(options.file)
  try {
    const order = { type: "WALLET", userId, parameters: { walletName, accounts } } as const
    const key = await requestImportKey(order, options, stamping)
    const { walletId, addresses = [] } = await importSecret(order, secret, key, stamping)
    printEither(terminal, options, { walletId, addresses }, [
      ["imported wallet", walletName, walletId, ...(addresses as readonly string[])].join(" "),
    ])
  } finally {
    secret.wipe()
  }
}

/**
 * Exports a wallet's mnemonic, sealed by the signer to a key made here, to a file or standard output.
 *
 * @throws {CliError} usage: the file exists; verificationFailed: the bundle is not what was asked for
 */
export async function exportWallet(name: string, options: ExportOptions, stamping: Stamping): Promise<void> {
  const { terminal } = stamping
  // The signer gives a bundle once: there must be a place for it first.
  if (options.out !== "-" && existsSync(options.out))
    throw usage(`${options.out} exists: it is not replaced; choose another --out FILE`)
  const walletId = await new Directory(stamping).idOf("wallet", name)
  const opened = await exportSecret({ type: "WALLET", identity: { walletId } }, options, stamping)
  if (opened === undefined) return
  try {
    const bytes = opened.use((view) => Buffer.from(view))
    try {
      if (options.out === "-") terminal.print(bytes.toString())
      else await writeNew(options.out, bytes)
    } finally {
      wipe(bytes)
    }
  } finally {
    opened.wipe()
  }
  if (options.out === "-") return
  printEither(terminal, options, { walletId, file: options.out }, [
    `exported wallet ${name} to ${options.out} (mode 0600)`,
  ])
}

async function readMnemonic(file: string): Promise<Secret> {
  const bytes = Buffer.from((await readSecret(file, "mnemonic")).replace(/\r?\n$/, ""))
  if (bytes.length === 0) throw usage("the mnemonic is empty")
  return Secret.moveFrom(bytes)
}

async function writeNew(file: string, bytes: Uint8Array): Promise<void> {
  await writeFile(file, bytes, { mode: 0o600, flag: "wx" }).catch((cause: NodeJS.ErrnoException) => {
    const advice = "Export again, with another --out FILE"
    throw new CliError(ExitCode.fault, `${file} cannot be written (${cause.code}). ${advice}`, { cause })
  })
}
