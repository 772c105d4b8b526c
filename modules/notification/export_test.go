package notification

// InSegments is for the test that compares it with what delivery counts.
var InSegments = inSegments
