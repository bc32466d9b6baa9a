import { expect, test } from 'vitest'
import { MEET, openWorld } from '../../world.ts'

const world = await openWorld({ api: {} })

test('a bot is created with two fields, and is queued', async () => {
  const team = await world.team()
  const created = await team.post('/v2/bots', { bot_name: 'Notes', meeting_url: MEET })
  expect(created).toMatchObject({ status: 201, body: { success: true, data: { bot_id: expect.any(String) } } })

  const { status, body } = await team.get(`/v2/bots/${created.body.data.bot_id}`)
  expect(status).toBe(200)
  expect(body).toEqual({
    success: true,
    data: {
      bot_id: created.body.data.bot_id,
      bot_name: 'Notes',
      meeting_url: MEET,
      meeting_platform: 'meet',
      recording_mode: 'speaker_view',
      status: 'queued',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      joined_at: null,
      exited_at: null,
      duration_seconds: null,
      participants: [],
      speakers: [],
      artifacts_deleted: false,
      video: null,
      audio: null,
      diarization: null,
      raw_transcription: null,
      transcription: null,
      chat_messages: null,
      transcription_ids: null,
      transcription_provider: null,
      error_code: null,
      error_message: null,
      error_help: null,
      reason: null,
      reason_help: null,
      tokens: null,
      extra: null,
      conf_config: null,
      account_id: null,
      meet_login_credential_id: null,
      callback_config: null,
      usage: null,
    },
  })
})
