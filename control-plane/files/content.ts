/** How files are labelled when they are served. */

const TYPES: Record<string, string> = {
  mp4: 'video/mp4',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  vtt: 'text/vtt; charset=utf-8',
  srt: 'text/plain; charset=utf-8',
  rttm: 'text/plain; charset=utf-8',
  png: 'image/png',
  html: 'text/html; charset=utf-8',
}

/** Returns the media type of the name's extension; `application/octet-stream` for all others. */
export function contentTypeOf(name: string): string {
  return TYPES[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream'
}

/** `content-disposition` of RFC 6266: a plain name, and the exact one in UTF-8 where they differ. */
export function dispositionOf(name: string, kind: 'inline' | 'attachment'): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${exact}`}`
}
