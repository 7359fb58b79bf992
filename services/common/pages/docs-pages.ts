import type { Handler } from "../context.ts"
import type { OpenApiDocument } from "../openapi/document.ts"
import { COLLECTION_PATH, collectionPage } from "./collection-page.ts"
import { ERRORS_PATH, errorList, errorPage } from "./error-pages.ts"
import type { HtmlPage } from "./page.ts"
import { referenceIndex, referencePage } from "./reference-pages.ts"

/** Path of the reference; the page of an operation is below it. */
export const REFERENCE_PATH = "/docs/api"

/** Pages that both hosts have: the reference of their operations, its collection of requests, and the reasons of errors. */
export function docsPages(
  host: HtmlPage["host"],
  document: () => Promise<OpenApiDocument>,
): { path: string; handle: Handler }[] {
  return [
    { path: REFERENCE_PATH, handle: referenceIndex(host, document) },
    { path: `${REFERENCE_PATH}/:operation`, handle: referencePage(host, document) },
    { path: COLLECTION_PATH, handle: collectionPage(host, document) },
    { path: ERRORS_PATH, handle: errorList(host) },
    { path: `${ERRORS_PATH}/:reason`, handle: errorPage(host) },
  ]
}

/** Name of a page in the log and in metrics: its path, without the parts that vary. */
export function operationOfPage(path: string): string {
  return path.slice(1).replace(/\/[:{].*$/, "") || "front"
}
