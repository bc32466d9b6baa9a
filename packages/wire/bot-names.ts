/** Names that meeting bots give themselves: notetakers and recorders that are sold or shared in 2026. */

const listOf = (names: string) => names.split(',').map((name) => name.trim().replace(/\s+/g, ' '))

export const BOT_NAMES = {
  /** A name that holds one of these as whole words is a bot's. */
  anywhere: listOf(`
    bot, notetaker, note taker, notes, recorder, transcriber, ai assistant, ai companion, ai scribe, copilot,
    meeting assistant, meeting recording, cloud recording, recording service, standin, otterpilot, fireflies, read
    ai, meetgeek, tldv, tl dv, gong io, sembly, fellow ai, circleback, grain ai, vexa, recall ai, meetingbaas,
    screenapp, jamie ai, bluedot, spinach ai, claap, airgram, jibri, jigasi, happy scribe, theta lake, askelephant,
    meetrecord, meetstream, hyprnote, brighthire, wudpecker, meeting baas, otter pilot, captioner, live captions,
    live transcript, call recording, compliance recording, webex assistant, loom ai, meetjamie, heymarvin, meetily,
    clova note, chorus by zoominfo, plaud notepin, outreach kaia, kaia outreach, preneur de notes, prise de notes, assistant de réunion, protokollant,
    asistente de notas, grabadora, google gemini, equal time, meetminutes, meetingnotes, meeting minutes, minute taker, minutes
    taker, meeting agent, meeting scribe, recording agent, readai, protokoll ki, secrétaire ia, transcription service, ai transcription, ai agent, obs studio, ava captions, meetingbot,
    zoombot, nottabot, chatbot, salesbot, notizbot, protokollbot, ki assistent, ki notizen, ki protokoll, notizassistent,
    besprechungsassistent, meeting assistent, ai notulist, vergaderassistent, tomador de notas, robot de notas, asistente de reuniones, asistente
    de ia, asistente ia, assistant ia, compte rendu ia, bloc notes ia, assistente de ia, assistente de reunião, anotador de ia, assistente
    ia, assistente riunioni, blocco note ia, notatnik ai, asystent spotkań, asystent ai, бот, ии ассистент, ассистент
    встречи, toplantı asistanı, ボット, 議事録, 文字起こし, 録画, 記録係, スマート書記, aiアシスタント, 机器人, 機器人, 会议助手,
    會議助手, 小助手, 妙记, 会议纪要, 會議紀要, 会议记录, 會議記錄, 智能纪要, 听悟, 讯飞听见, ai助理, ai助手, ai 助手, 클로바노트, 회의록, 녹음, 봇, ai 비서,
    회의 비서, 회의비서, ai 노트, 다글로`),
  /** Products. Behind a given name these are family names; a bot is called so alone, or with more words of a product. */
  products: listOf(`
    otter, fathom, avoma, supernormal, krisp, granola, modjo, chorus, grain, clari, sybill, laxis, noota, notta,
    nyota, tactiq, leexi, bliro, cogram, cluely, rewatch, beenote, scribbl, timz, metaview, plaud, nylas, skribby,
    joinly, fyxer, dubber, verint, smarsh, convogo, updateai, glyphic, yoodli, notiv, symbl, trint, sonix, jiminny,
    salesloft, demodesk, praiz, loopin, mymeet, panopto, kaltura, opencast, restream, streamyard, superpowered,
    screenloop, facilitator, verbit, aircover, rilla, allego, mindtickle, execvision, numonix, ringover, interprefy,
    huddlemate, anarlog, ebsta, zime, fluint, daglo, wordly, hubspot, descript, transkriptor, vomo`),
  /** Products that people are called after too, even with one name: only with more words of a product. */
  alsoNames: listOf(`
    read, gong, fellow, jamie, spinach, sally, fred, hugo, ellie, rumi, sana, amie, hedy, lindy, motion, rev,
    pillar, shadow, parrot, siro, oliv, quil, carv, attention, bubbles, limitless, timeless, notion, wingman,
    colibri, winn, tucan, vowel, poised, kompas, attendee, recall, momentum, zia, kaia, dex, marvin, scribe, gemini`),
} as const
