/** Names of the functions of the package's Client View. Of its typings, 6.2.0. */

/** Functions that the stub implements. */
export const PLAYED_NAMES =
  `init join inMeetingServiceListener getAttendeeslist getCurrentUser sendChat mediaCapture mediaCapturePermission
  leaveMeeting`.split(/\s+/)

/** Functions whose calls the stub only records. */
export const OTHER_NAMES =
  `admitAll allowMultiPin askForHelp assignUserToBreakoutRoom broadcast callOut cancelInviteCRCDevice
  changeRedirectUrl checkFeatureRequirements claimHostWithHostKey closeBreakoutRooms createBreakoutRoom endMeeting
  expel focusMode getAuthorizedBotListByUserId getBotAppName getBotAuthorizedUserInfoByUserId
  getBreakoutRoomOptions getBreakoutRoomStatus getBreakoutRooms getChildTokens getCurrentBreakoutRoom
  getCurrentMeetingInfo getFocusModeStatus getPinList getSpotlightList getUnassignedAttendeeList getUserStatus
  getVirtualBackgroundStatus getWebSDKVersion inviteByPhone inviteCRCDevice isBotUser isSupportVirtualBackground
  joinBreakoutRoom joinTest leaveBreakoutRoom lockMeeting lockVirtualBackground lowerAllHands lowerHand makeCoHost
  makeHost mirrorVideo moveUserToBreakoutRoom mute muteAll openBreakoutRooms operatePin operateSpotlight
  postponeHelping preLoadWasm prepareWebSDK putOnHold raiseHand reRender reclaimHost record rename
  setActiveSpeaker setCustomizeWaitingRoom setCustomizedPollingUrl setLogLevel setVirtualBackground setZoomJSLib
  shareSource showCalloutFunction showInviteFunction showJoinAudioFunction showMeetingHeader
  showPureSharingContent showRecordFunction startScreenShare stopIncomingAudio subscribeStatisticData
  unSubscribeStatisticData updateVirtualBackgroundList withdrawCoHost`.split(/\s+/)
