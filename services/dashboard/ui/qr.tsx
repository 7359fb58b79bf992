import { encode } from "uqr"

/** A QR code, drawn dark on white in both themes: cameras expect it. */
export function Qr({ text }: { text: string }) {
  const { data, size } = encode(text, { ecc: "M", border: 0 })
  const path = data
    .flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join("")
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={`QR code of ${text}`}
      shapeRendering="crispEdges"
    >
      <path d={path} fill="#000" />
    </svg>
  )
}
