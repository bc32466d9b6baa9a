/** One self-contained page: style, script and data are in it; only the media file is beside it. */
import { createHash } from 'node:crypto'
import type { ReportData } from './page/data.ts'

/** `script` and `style` are the bundles of `src/report/page/main.tsx`. */
export function reportHtml(data: ReportData, { script, style }: { script: string; style: string }): string {
  // No name and no message can end the element that contains the data.
  const json = JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, escaped)
  const code = script.replaceAll('</script', '<\\/script')
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(`\n${code}\n`)}'`,
    `style-src '${hashOf(style)}'`,
    "media-src 'self' file:",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Recording</title>
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<noscript>${mediaElement(data.media)} This page needs JavaScript to show more than the recording.</noscript>
<script id="data" type="application/json">${json}</script>
<script>
${code}
</script>
</body>
</html>
`
}

function mediaElement(media: ReportData['media']): string {
  if (media === null) return ''
  // The recorder chose this file name; it never contains a person's name.
  return `<${media.kind} id="player" controls preload="metadata" src="${media.file}"></${media.kind}>`
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
