/** Exit statuses of docs/ERRORS.md. */
export const FAULT = 1
export const USAGE = 2
export const REFUSED = 3
export const LOCKED_OR_UNREACHABLE = 5

/** Why a process cannot start: a sentence for its operator, and its exit status. */
export type StartFault = { sentence: string; status: number }

/**
 * A process must not or cannot start with its arguments and settings, or a command failed. Subclasses hold more than the exit status.
 */
export class StartError extends Error {
  readonly status: number

  constructor(status: number, sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.status = status
  }
}

/** A fault of the command line or of settings. Only its first line is printed behind the program's name. */
export class UsageError extends StartError {
  constructor(sentence: string) {
    super(USAGE, sentence)
  }
}

/** The fault of a process or a command, with its exit status; undefined: a fault of the program itself. */
export function startFaultOf(error: unknown): StartFault | undefined {
  if (error instanceof StartError) return { sentence: error.message, status: error.status }
  if (!(error instanceof Error)) return undefined
  return listenFaultOf(error.message) ?? fileFaultOf(error)
}

/** grpc-js gives the operating system's fault in its message only. */
const LISTEN = /\blisten (E[A-Z]+): (?:[a-z]+ )*([^\s\]]+)\]?$/
const UNRESOLVED = /^Name resolution failed for target dns:(\S+)$/

function listenFaultOf(message: string): StartFault | undefined {
  const [, unresolved] = UNRESOLVED.exec(message) ?? []
  if (unresolved !== undefined)
    return { sentence: `${unresolved}: this host cannot resolve the name to listen on`, status: FAULT }
  const [, code, address] = LISTEN.exec(message) ?? []
  switch (code) {
    case undefined:
      return undefined
    case "EADDRINUSE": {
      const sentence = `${address} is in use: another process listens there; stop it, or set another address`
      return { sentence, status: LOCKED_OR_UNREACHABLE }
    }
    case "EADDRNOTAVAIL":
      return { sentence: `${address} is not an address of this host; set another one`, status: FAULT }
    default:
      return { sentence: `this process cannot listen on ${address} (${code})`, status: FAULT }
  }
}

/** A file or folder that cannot be used; `path` and `syscall` are members of Node's system errors. */
function fileFaultOf(error: Error): StartFault | undefined {
  const { code, path, syscall } = error as { code?: unknown; path?: unknown; syscall?: unknown }
  if (typeof code !== "string" || typeof path !== "string") return undefined
  const sentence = `${path} cannot be used (${String(syscall)}: ${code}); this process's user must be able to`
  return { sentence, status: FAULT }
}
